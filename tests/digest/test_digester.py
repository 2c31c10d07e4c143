"""The digest of a session: each thing that it must hold, and that it does not depend on how the rows were cut."""

from collections.abc import Sequence

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.digest.materials import ROOT, START_MS, action, facts, identity, material, note
from tests.every import for_every
from tests.thoroughness import examples

from afterwit.digest.digester import (
    ERROR_LIMIT,
    TARGET_LIMIT,
    SessionPart,
    digest,
    files_printed,
    gather,
    task_type,
)
from afterwit.model.captured import ActionRow, Extract
from afterwit.model.digest import Digest, Said, Touched
from afterwit.model.kinds import (
    ActionKind,
    FailureClass,
    Lean,
    NoteKind,
    Outcome,
    ResolutionKind,
    Status,
    Step,
    TaskType,
)
from afterwit.repos.folders import below

EDIT, READ, WRITE = ActionKind.EDIT, ActionKind.READ, ActionKind.WRITE


def test_identity_and_measures_are_taken_over() -> None:
    made = digest(material([action(0, "make prune")]))
    assert (made.agent, made.native_id, made.task, made.branch) == ("codex", "one", "Prune the plums", "main")
    assert (made.versions, made.models) == (("1.0",), ("model-a",))
    assert (made.measures.duration_ms, made.measures.tokens, made.measures.cost_usd) == (600_000, 900, 0.25)


def test_the_repository_and_the_user_are_left_to_whoever_loads_it() -> None:
    made = digest(material([action(0, "make")]))
    assert (made.repo, made.user) == ("", "")


def test_actions_are_counted_by_kind_and_decide_the_task_type() -> None:
    made = digest(material([action(0, "a.py", kind=READ), action(1, "a.py", kind=EDIT), action(2, "make")]))
    assert made.kinds == {"edit": 1, "read": 1, "shell": 1}
    assert made.task_type is TaskType.FILE


def test_a_failure_has_class_signature_and_resolution() -> None:
    rows = [
        action(0, "npm run tset", Status.FAILED, error='npm error Missing script: "tset"'),
        action(1, "npm run test"),
    ]
    (failure,) = digest(material(rows)).failures
    assert (failure.at, failure.failure) == (0, FailureClass.INVOCATION)
    assert failure.signature == "npm run tset: Missing script: tset"
    assert (failure.resolution, failure.by, failure.edits_between) == (ResolutionKind.CHANGED, 1, 0)


def test_edits_between_a_failure_and_its_success_are_counted() -> None:
    rows = [
        action(0, "make test", Status.FAILED, error="--- FAIL: TestPear"),
        action(1, f"{ROOT}/a.go", kind=EDIT),
        action(2, f"{ROOT}/b.go", kind=EDIT),
        action(3, "make test"),
    ]
    made = digest(material(rows))
    assert made.failures[0].edits_between == 2
    assert made.failures[0].resolution is ResolutionKind.EDITED
    assert made.unresolved == ()


def test_denials_and_cancellations_are_failures_that_nobody_had_to_mend() -> None:
    rows = [action(0, "rm -r x", Status.DENIED), action(1, "ls", Status.CANCELLED)]
    made = digest(material(rows))
    assert [failure.failure for failure in made.failures] == [FailureClass.DENIED, FailureClass.CANCELLED]
    assert made.denials == (0,)
    assert made.unresolved == ()


def test_a_pipe_that_only_looks_failed_is_no_failure() -> None:
    made = digest(material([action(0, "make | tail", Status.UNKNOWN, lean=Lean.FAILED)]))
    assert made.failures == ()


def test_a_poll_belongs_to_the_command_that_it_polls() -> None:
    error = "--- FAIL: TestPear"
    rows = [
        action(0, "go test ./...", Status.FAILED, error=error),
        action(1, "40020", Status.FAILED, error=error),
        action(2, "go test ./..."),
    ]
    made = digest(material(rows, [note(NoteKind.RUNNING, 0, "40020")]))
    assert made.steps[1].started_by == 0
    assert [failure.at for failure in made.failures] == [0]


def test_a_poll_that_says_something_new_is_a_failure_of_its_own() -> None:
    rows = [
        action(0, "go test ./...", Status.UNKNOWN),
        action(1, "40020", Status.FAILED, error="--- FAIL: TestPear"),
    ]
    made = digest(material(rows, [note(NoteKind.RUNNING, 0, "40020")]))
    assert [(failure.at, failure.signature) for failure in made.failures] == [(1, "go test: tests fail")]


def test_rules_keep_their_message_and_decide_the_signature() -> None:
    rules = msgspec.json.encode({"F401": "`os` imported but unused"}).decode()
    rows = [action(0, "ruff check .", Status.FAILED, error="a.py:1:8: F401 `os` imported but unused")]
    made = digest(material(rows, [note(NoteKind.RULES, 0, rules)]))
    assert [(rule.at, rule.id, rule.message) for rule in made.rules] == [(0, "F401", "`os` imported but unused")]
    assert made.failures[0].signature == "ruff check: rules F401"


def test_files_are_named_below_the_repository_with_reads_changes_and_symbols() -> None:
    rows = [
        action(0, f"{ROOT}/src/pear.py", kind=READ),
        action(1, "cat src/pear.py README.md"),
        action(2, f"{ROOT}/src/pear.py", kind=EDIT),
        action(3, "/etc/hosts", kind=READ),
        action(4, f"{ROOT}/gone.py", Status.FAILED, kind=READ),
    ]
    made = digest(material(rows, [note(NoteKind.SYMBOLS, 2, "pick ripe")]))
    assert made.files == (
        Touched("src/pear.py", 2, 1, ("pick", "ripe")),
        Touched("README.md", 1, 0),
        Touched("/etc/hosts", 1, 0),
    )


def test_a_patch_that_changes_several_files_names_them_all() -> None:
    paths = msgspec.json.encode(["src/a.py", f"{ROOT}/src/b.py"]).decode()
    made = digest(material([action(0, "src/a.py", kind=EDIT)], [note(NoteKind.FILES, 0, paths)]))
    assert made.steps[0].files == ("src/a.py", "src/b.py")
    assert [file.path for file in made.files] == ["src/a.py", "src/b.py"]


def test_names_in_a_patch_of_several_files_are_given_to_none_of_them() -> None:
    paths = msgspec.json.encode(["src/a.py", "src/b.py"]).decode()
    rows = [action(0, "src/a.py", kind=EDIT), action(1, "src/b.py", kind=EDIT)]
    notes = [note(NoteKind.FILES, 0, paths), note(NoteKind.SYMBOLS, 0, "pick"), note(NoteKind.SYMBOLS, 1, "ripe")]
    made = digest(material(rows, notes))
    assert made.files == (Touched("src/a.py", 0, 1), Touched("src/b.py", 0, 2, ("ripe",)))


def test_what_was_said_is_kept_with_who_said_it() -> None:
    notes = [
        note(NoteKind.PROMPT, 0, "Prune the plums. Always use the small saw for young trees.", START_MS),
        note(NoteKind.PROMPT, 4, "No, that is the wrong tree", START_MS + 5),
        note(NoteKind.REPLY, 5, "The root cause was a blunt saw.", START_MS + 6),
        note(NoteKind.SUMMARY, 6, "So far: rows 1 to 3", START_MS + 7),
        note(NoteKind.ENDING, 0, "All rows are pruned.", START_MS + 8),
    ]
    made = digest(material([], notes))
    assert [prompt.text for prompt in made.prompts] == [notes[0].text, notes[1].text]
    assert made.corrections == (1,)
    assert made.stated == (
        Said(text="Always use the small saw for young trees.", at_ms=START_MS, is_person=True),
        Said(text="The root cause was a blunt saw.", at_ms=START_MS + 6),
    )
    assert made.summaries == ("So far: rows 1 to 3",)
    assert made.ending == "All rows are pruned."


def test_the_first_prompt_is_a_task_and_no_correction() -> None:
    assert digest(material([], [note(NoteKind.PROMPT, 0, "Stop the leaking hose")])).corrections == ()


def test_commits_and_pull_requests_are_kept_and_count_for_success() -> None:
    rows = [action(0, f"{ROOT}/a.py", kind=EDIT), action(1, "git commit -m 'Prune'")]
    made = digest(material(rows, [note(NoteKind.COMMIT, 1, "Prune")]))
    assert [(one.kind, one.at, one.text) for one in made.publications] == [(NoteKind.COMMIT, 1, "Prune")]
    assert made.verdict.outcome is Outcome.SUCCESS


def test_skills_are_named_once() -> None:
    rows = [action(at, name, kind=ActionKind.SKILL) for at, name in enumerate(("prune", "graft", "prune"))]
    assert digest(material(rows)).skills == ("prune", "graft")


def test_time_to_first_success_is_that_of_the_first_passing_check_behind_a_change() -> None:
    rows = [action(0, "make test"), action(1, f"{ROOT}/a.py", kind=WRITE), action(2, "ls"), action(3, "make test")]
    assert digest(material(rows)).measures.first_success_ms == 4_000
    assert digest(material(rows[:2])).measures.first_success_ms is None


def test_the_early_error_rate_looks_at_the_first_thirty_actions() -> None:
    rows = [action(at, "ls x", Status.FAILED if at % 10 == 0 else Status.SUCCEEDED) for at in range(60)]
    measures = digest(material(rows)).measures
    assert (measures.early_error_rate, measures.errors, measures.tool_diversity) == (0.1, 6, 1)
    assert digest(material([])).measures.early_error_rate is None


def test_long_targets_and_errors_are_cut() -> None:
    made = digest(material([action(0, "x" * 5_000, Status.FAILED, error="y" * 5_000)]))
    assert len(made.steps[0].target) == TARGET_LIMIT
    assert len(made.steps[0].error) == ERROR_LIMIT


def test_a_session_of_which_nothing_is_known_is_digested() -> None:
    made = digest(material([], started_ms=None, ended_ms=None, is_partial=True))
    assert made.verdict.outcome is Outcome.UNKNOWN
    assert (made.steps, made.failures, made.measures.duration_ms) == ((), (), None)


TARGETS = st.sampled_from(["make test", "npm run lint", "git push", "cat src/a.py", f"{ROOT}/src/a.py", "odd 'line"])
ERRORS = st.sampled_from(["", "--- FAIL: TestX", "bash: pear: command not found", "unknown flag: --x"])


@st.composite
def rows(draw: st.DrawFn) -> tuple[list[ActionRow], list[Extract]]:
    count = draw(st.integers(0, 10))
    actions = [
        action(
            at,
            draw(TARGETS),
            draw(st.sampled_from(list(Status))),
            kind=draw(st.sampled_from([ActionKind.SHELL, EDIT, READ])),
            error=draw(ERRORS),
        )
        for at in range(count)
    ]
    notes = [
        note(NoteKind.SYMBOLS, at, "pick ripe", START_MS + 1_000 * (at + 1))
        for at in draw(st.sets(st.integers(0, max(0, count - 1)), max_size=3))
    ]
    return actions, notes


def cut_at(actions: Sequence[ActionRow], notes: Sequence[Extract], place: int) -> list[SessionPart]:
    """The same session in two files: ordinals begin anew in the second."""
    later = [msgspec.structs.replace(row, ordinal=row.ordinal - place) for row in actions[place:]]
    of_later = [msgspec.structs.replace(one, place=one.place - place) for one in notes if one.place >= place]
    first = SessionPart(facts(), actions[:place], [one for one in notes if one.place < place])
    return [first, SessionPart(facts(), later, of_later)]


@given(rows(), st.data())
@settings(max_examples=examples(60), deadline=None)
def test_a_session_in_two_files_has_the_digest_of_the_whole(
    given_rows: tuple[list[ActionRow], list[Extract]], data: st.DataObject
) -> None:
    actions, notes = given_rows
    place = data.draw(st.integers(0, len(actions)))
    whole = digest(gather(identity(), [SessionPart(facts(), actions, notes)]))
    assert digest(gather(identity(), cut_at(actions, notes, place))) == whole


@given(rows())
@settings(max_examples=examples(40), deadline=None)
def test_digesting_is_repeatable_and_survives_packing(given_rows: tuple[list[ActionRow], list[Extract]]) -> None:
    made = digest(material(*given_rows))
    assert made == digest(material(*given_rows))
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(made), type=Digest) == made


@pytest.mark.parametrize("last", [0, 1])
def test_rows_without_a_time_come_first(last: int) -> None:
    timeless = ActionRow(
        0, last, "t", "shell", ActionKind.SHELL, "timeless", Status.SUCCEEDED, None, 0, "", None, None, 0, None
    )
    assert digest(material([action(1 - last, "timed"), timeless])).steps[0].target == "timeless"


@pytest.mark.parametrize(
    ("kinds", "expected"),
    [
        ({"shell": 7, "read": 3}, TaskType.CODE),
        ({"shell": 6, "read": 4}, TaskType.MIXED),
        ({"read": 3, "edit": 2, "write": 1, "search": 1, "shell": 3}, TaskType.FILE),
        ({"web": 7, "read": 3}, TaskType.RESEARCH),
        ({"mcp": 9}, TaskType.MIXED),
        ({}, TaskType.MIXED),
    ],
)
def test_the_group_above_sixty_percent_decides(kinds: dict[str, int], expected: TaskType) -> None:
    steps = [
        Step(ActionKind(kind), kind, "make", Status.SUCCEEDED) for kind, count in kinds.items() for _ in range(count)
    ]

    assert task_type(steps) is expected


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (("sed -n 1,80p pear.py", "rg -n pear src", "cat <<'EOF' > pear.py\npear = 1\nEOF", "make"), TaskType.FILE),
        (("sed -i 's/pear/plum/' pear.py", "git diff", "ls src", "make"), TaskType.FILE),
        (("make", "npm test", "git commit -m pear", "ls"), TaskType.CODE),
        (("curl -s https://example.org/pears", "wget https://example.org/plums", "ls"), TaskType.RESEARCH),
        (("curl http://localhost:8080/pears", "curl http://127.0.0.1/plums", "ls"), TaskType.CODE),
    ],
)
def test_an_agent_that_does_all_in_a_shell_is_told_by_what_it_does(lines: tuple[str, ...], expected: TaskType) -> None:
    assert digest(material([action(at, line) for at, line in enumerate(lines)])).task_type is expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/srv/orchard/src/pear.py", "src/pear.py"),
        ("./src/pear.py", "src/pear.py"),
        ("src/pear.py", "src/pear.py"),
        ("/srv/orchard/.claude/worktrees/fix-1/src/pear.py", "src/pear.py"),
        ("/srv/orchards/pear.py", "/srv/orchards/pear.py"),
        ("/etc/hosts", "/etc/hosts"),
        ("", ""),
    ],
)
def test_a_path_is_named_below_its_repository(path: str, expected: str) -> None:
    assert below(path, "/srv/orchard", "/srv/orchard") == expected


def test_paths_of_windows_have_slashes() -> None:
    assert below(r"C:\orchard\src\pear.py", r"C:\orchard", "") == "src/pear.py"


def test_the_root_counts_where_the_session_ran_below_it() -> None:
    assert below("/srv/orchard/web/a.ts", "/srv/orchard/api", "/srv/orchard") == "web/a.ts"


@for_every(
    "line, expected",
    [
        ("cat src/pear.py", ["src/pear.py"]),
        ("cat 'src/pear.py' README.md | head -3", ["src/pear.py", "README.md"]),
        ("sed -n '1,20p' src/pear.py", ["src/pear.py"]),
        ("cd x && head -20 a.go; tail -n 5 b.go", ["a.go", "b.go"]),
        ("nl -ba src/a.py | sed -n '1,9p'", ["src/a.py"]),
        ("cat <<EOF > a.py", []),
        ("grep -rn pear src", []),
        ("cat -", []),
        ("", []),
    ],
)
def test_files_shown_by_a_command_are_found(line: str, expected: list[str]) -> None:
    assert files_printed(line) == expected


def test_what_was_said_before_a_later_prompt_is_kept_beside_the_last_reply() -> None:
    notes = [
        note(NoteKind.REPORT, 1, "Oak or walnut?", START_MS + 1),
        note(NoteKind.REPORT, 2, "Done.", START_MS + 2),
        note(NoteKind.ENDING, 0, "Done.", START_MS + 2),
    ]
    made = digest(material([], notes))
    assert (made.replies, made.ending) == ((Said(text="Oak or walnut?", at_ms=START_MS + 1),), "Done.")
