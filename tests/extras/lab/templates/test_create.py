"""A template from a session: hand-written logs, learned and read back from the archive."""

import json
from pathlib import Path

import pytest
from tests.extras.lab.templates.logs import GOOD, Done, edited, learn_sessions, ran, read, session
from tests.secrets_planted import cores, planted

from afterwit.engine.archive.delete import DeleteRequest, delete
from afterwit.engine.archive.evict import evict
from afterwit.extras.lab.templates.create import WantedTemplate, create
from afterwit.extras.lab.templates.files import find_template
from afterwit.model.errors import UsageError
from afterwit.model.kinds import TaskType
from afterwit.store.template_files import read_templates, template_bytes


def test_a_template_holds_only_what_succeeded_and_led_somewhere(tmp_path: Path) -> None:
    world = learn_sessions(tmp_path, good=session("good", GOOD))
    template = create(world, "good").template
    assert [(example.tool, example.target) for example in template.examples] == [
        ("Grep", "prune"),
        ("Read", "src/prune.py"),
        ("Edit", "src/prune.py"),
        ("Bash", "pytest -q"),
        ("Bash", "git commit -am 'Prune in winter'"),
    ]
    assert template.examples[3].arguments == {"command": "pytest -q"}
    assert template.examples[3].result == "4 passed"
    assert "failed" not in template_bytes(template).decode()
    assert (template.version, template.source.session, template.source.agent) == (1, "good", "claude-code")
    assert template.description == "Prune the trees in winter only"


def test_what_people_say_of_it_counts_and_is_bounded(tmp_path: Path) -> None:
    world = learn_sessions(tmp_path, good=session("good", GOOD))
    wanted = WantedTemplate(
        type=TaskType.RESEARCH, tags=(" trees", "trees", ""), description="x" * 900, most_examples=3
    )
    template = create(world, "good", wanted).template
    assert (template.type, template.tags, len(template.examples)) == (TaskType.RESEARCH, ("trees",), 3)
    assert len(template.description) == 120


def test_made_again_it_is_the_same_or_the_next_version(tmp_path: Path) -> None:
    world = learn_sessions(tmp_path, good=session("good", GOOD))
    first = create(world, "good")
    again = create(world._replace(now_ms=world.now_ms + 1), "good")
    assert first.is_new
    assert (again.is_new, again.template) == (False, first.template)
    next_one = create(world, "good", WantedTemplate(tags=("trees",))).template
    assert (next_one.id, next_one.version) == (first.template.id, 2)
    assert find_template(world, next_one.id) == next_one


def test_no_planted_secret_comes_into_a_template(tmp_path: Path) -> None:
    secrets = list(planted().values())
    calls: list[Done] = []
    for number, secret in enumerate(secrets):
        path = f"src/row{number}.py"
        content = {"file_path": f"/srv/orchard/{path}", "old_string": "x", "new_string": f"before\n{secret}\nafter"}
        calls += [read(path, f"the file says\n{secret}\n"), Done("Edit", content, f"updated\n{secret}")]
        calls.append(ran(f"pytest -q {path} # {secret}", f"1 passed\n{secret}\n"))
    world = learn_sessions(tmp_path, secret=session("secret", calls, task=f"Use {secrets[0]} to prune"))
    stored = template_bytes(create(world, "secret", WantedTemplate(most_examples=50)).template).decode()
    assert len(json.loads(stored)["examples"]) == 50
    assert [name for name, secret in planted().items() if cores(secret) in stored] == []


def test_a_secret_in_what_people_say_of_it_is_redacted_too(tmp_path: Path) -> None:
    world = learn_sessions(tmp_path, good=session("good", GOOD))
    secret = planted()["github token"]
    wanted = WantedTemplate(description=f"with {secret}", tags=(secret,))
    assert secret not in template_bytes(create(world, "good", wanted).template).decode()


def test_long_texts_are_shortened_at_both_ends(tmp_path: Path) -> None:
    long = "\n".join(f"line {number}" for number in range(5_000))
    write = Done("Write", {"file_path": "/srv/orchard/src/new.py", "content": long})
    world = learn_sessions(tmp_path, long=session("long", [write, edited("src/b.py"), ran("pytest -q", long)]))
    template = create(world, "long").template
    written, checked = template.examples[0], template.examples[-1]
    assert len(written.arguments["content"]) <= 800
    assert len(checked.result) <= 1_200
    assert checked.result.startswith("line 0\n")
    assert checked.result.endswith("line 4999")
    assert "characters left out" in checked.result


def test_notes_of_ours_in_a_result_are_no_part_of_it(tmp_path: Path) -> None:
    told = "4 passed\n[afterwit notes from past sessions]\nUse `make test`.\n[end of afterwit notes]"
    world = learn_sessions(tmp_path, told=session("told", [edited("src/a.py"), ran("pytest -q", told)]))
    assert "afterwit" not in template_bytes(create(world, "told").template).decode()


def test_a_session_without_calls_that_worked_is_refused(tmp_path: Path) -> None:
    bad = [ran("make prune", "Exit code 2\nno rule", is_error=True)]
    world = learn_sessions(tmp_path, bad=session("bad", bad))
    with pytest.raises(UsageError, match="a template needs 2"):
        create(world, "bad")


def test_a_session_whose_original_was_dropped_is_refused_with_the_reason(tmp_path: Path) -> None:
    world = learn_sessions(tmp_path, good=session("good", GOOD))
    evict(world, lambda _: True, soft_cap_bytes=0)
    with pytest.raises(UsageError, match=r"cannot be read any more.*Choose another session"):
        create(world, "good")


def test_a_template_goes_with_the_session_that_is_deleted(tmp_path: Path) -> None:
    other = session("other", GOOD, task="Water the trees", day=2)
    world = learn_sessions(tmp_path, good=session("good", GOOD), other=other)
    gone, kept = create(world, "good").template, create(world, "other").template
    done = delete(world, DeleteRequest(("good",)), lambda _: True)
    assert done is not None
    assert done.templates == [gone.id]
    assert [template.id for template in read_templates(world.layout).templates] == [kept.id]


def test_no_example_names_a_path_outside_the_repository(tmp_path: Path) -> None:
    elsewhere = (
        ran("find .. -name '*.py'", "src/prune.py"),
        ran("cat ~/notes.md", "src/prune.py"),
        Done("Grep", {"pattern": "prune", "path": "/srv/barn"}, "src/prune.py:1"),
        ran("grep -n prune src/prune.py > /srv/barn/found", ""),
    )
    inside = ran("cd /srv/orchard && grep -n prune src/prune.py 2>/dev/null", "1:def prune()")
    world = learn_sessions(tmp_path, good=session("good", (*elsewhere, inside, *GOOD[5:])))

    targets = [example.target for example in create(world, "good").template.examples]

    assert not [target for target in targets if ".." in target or "~" in target or "barn" in target]
    assert "cd /srv/orchard && grep -n prune src/prune.py 2>/dev/null" in targets
