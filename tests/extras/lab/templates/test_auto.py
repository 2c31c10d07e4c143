"""Proposals: the best sessions of each type, and nothing that is written."""

from pathlib import Path

from tests.extras.lab.templates.logs import GOOD, edited, learn_sessions, ran, read, session

from afterwit.engine.archive.evict import evict
from afterwit.engine.curation.undo import ForgetRequest, forget
from afterwit.extras.lab.templates.create import keep, propose
from afterwit.model.kinds import TaskType
from afterwit.store.template_files import read_templates

UNCHECKED = (read("src/a.py"), edited("src/a.py"), ran("git log", "x"), ran("git diff", "y"), ran("git show", "z"))
FAILING = (*[ran("make x", "Exit code 2\nno rule", is_error=True)] * 4, *GOOD)


def test_a_checked_session_with_few_failures_is_proposed_and_nothing_is_written(tmp_path: Path) -> None:
    calm = tuple(call for call in GOOD if not call.is_error)
    world = learn_sessions(
        tmp_path,
        calm=session("calm", calm),
        unchecked=session("unchecked", UNCHECKED, task="Water them", day=2),
        failing=session("failing", FAILING, task="Weed them", day=3),
    )
    proposals = propose(world)
    assert [proposal.template.source.session for proposal in proposals] == ["calm"]
    assert (proposals[0].failed, proposals[0].actions) == (0, 7)
    assert "a check passed after the last change" in proposals[0].reasons
    assert read_templates(world.layout).templates == ()


def test_a_session_whose_last_change_was_not_checked_is_not_proposed(tmp_path: Path) -> None:
    calm = tuple(call for call in GOOD if not call.is_error)
    message = {"role": "user", "content": "Perfect, thank you!"}
    thanks = {"uuid": "thanks", "timestamp": "2026-05-01T11:00:00.000Z", "type": "user", "message": message}
    for name, calls, count in (("checked", calm, 1), ("late", (*calm, edited("src/late.py")), 0)):
        records = session(name, calls)
        world = learn_sessions(tmp_path / name, **{name: [*records, records[-1] | thanks]})
        assert len(propose(world)) == count, name


def test_what_has_a_template_is_not_proposed_again(tmp_path: Path) -> None:
    calm = tuple(call for call in GOOD if not call.is_error)
    world = learn_sessions(tmp_path, calm=session("calm", calm))
    keep(world, propose(world))
    assert len(read_templates(world.layout).templates) == 1
    assert propose(world) == []


def test_of_one_repository_and_type_comes_one_and_a_dropped_original_is_passed_over(tmp_path: Path) -> None:
    calm = tuple(call for call in GOOD if not call.is_error)
    second = session("second", calm, task="Water the trees", day=2)
    elsewhere = session("elsewhere", calm, task="Mow the meadow", cwd="/srv/meadow", day=3)
    world = learn_sessions(tmp_path, calm=session("calm", calm), second=second, elsewhere=elsewhere)
    proposals = propose(world, TaskType, 5)
    assert sorted(proposal.template.source.session for proposal in proposals) == ["elsewhere", "second"]
    assert len(propose(world, TaskType, 1)) == 1
    evict(world, lambda _: True, soft_cap_bytes=0)
    assert propose(world) == []


def test_what_people_had_forgotten_is_not_proposed(tmp_path: Path) -> None:
    calm = tuple(call for call in GOOD if not call.is_error)
    world = learn_sessions(tmp_path, calm=session("calm", calm))
    forget(world, ForgetRequest(session="calm"), lambda _: True)
    assert propose(world) == []
