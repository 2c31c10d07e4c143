from itertools import permutations

from tests.harvest.talks import concluded, sentences
from tests.harvest.work import Act, failed, ran, session

from afterwit.harvest.commands.proven_commands import PlainCommands, ProvenCommands
from afterwit.model.digest import Digest
from afterwit.model.kinds import FailureClass
from afterwit.model.knowledge import SENTENCE_LIMIT, Category, Channel

_MISSING = FailureClass.ENVIRONMENT
_SLOW = 300_000


def _days(*acts: Act, days: int = 2) -> list[Digest]:
    return [session(*acts, day=day) for day in range(days)]


def _checked(command: str, duration_ms: int = 2_000) -> tuple[Act, Act]:
    """A check that complained once and then passed."""
    return failed(command), ran(command, duration_ms=duration_ms)


def test_all_commands_of_a_repository_are_one_item_with_the_time_they_take() -> None:
    (draft,) = concluded(
        ProvenCommands(),
        _days(*_checked("npm test", duration_ms=_SLOW), *_checked("npm run lint"), ran("npm run build")),
    )
    assert draft.sentence == (
        "In `orchard`: tests `npm test` (about 5 min), lint `npm run lint`, build `npm run build`;"
        " from the repository's root."
    )
    assert (draft.category, draft.channel, draft.advice) == (Category.FACT, Channel.OUTCOME, "npm test")
    assert len(draft.evidence) == 2


def test_what_anybody_would_try_first_is_no_knowledge() -> None:
    assert not concluded(ProvenCommands(), _days(*_checked("go test ./..."), ran("go build ./...")))
    assert not concluded(ProvenCommands(), _days(*_checked("npm run test"), *_checked("npm run lint")))


def test_a_task_of_the_projects_own_runner_is_worth_knowing_and_brings_the_others_along() -> None:
    drafts = concluded(ProvenCommands(), _days(*_checked("go test ./..."), *_checked("just ci")))
    assert sentences(drafts) == [
        "In `orchard`: tests `go test ./...`, all checks `just ci`; from the repository's root."
    ]


def test_a_command_of_another_folder_is_worth_knowing() -> None:
    (draft,) = concluded(ProvenCommands(), _days(*_checked("cd web && npm test")))
    assert draft.sentence == "In `orchard`: tests `cd web && npm test`."
    assert draft.advice == "cd web && npm test"


def test_a_command_that_took_the_place_of_one_that_could_not_run_is_worth_knowing() -> None:
    (draft,) = concluded(ProvenCommands(), _days(failed("pytest", _MISSING), *_checked("uv run pytest")))
    assert "tests `uv run pytest` (not `pytest`)" in draft.sentence
    once = [session(failed("pytest", _MISSING), *_checked("uv run pytest")), session(ran("uv run pytest"), day=1)]
    assert not concluded(ProvenCommands(), once)


def test_a_check_that_never_complained_may_check_nothing() -> None:
    assert not concluded(ProvenCommands(), _days(ran("cd web && npx tsc --noEmit"), days=5))


def test_a_check_that_takes_long_checks_something() -> None:
    (draft,) = concluded(ProvenCommands(), _days(ran("npm test", duration_ms=_SLOW)))
    assert draft.advice == "npm test"


def test_what_users_name_themselves_was_not_found_out() -> None:
    asked = [session(*_checked("make check"), day=day, task="Run make check, then commit") for day in range(3)]
    assert concluded(ProvenCommands(), asked) == []
    assert concluded(ProvenCommands(), [*asked, *(session(*_checked("make check"), day=day) for day in range(4, 8))])


def test_what_one_story_ran_is_not_proven() -> None:
    assert not concluded(
        ProvenCommands(), [session(*_checked("make check"), parent="root", day=day) for day in (0, 1)][:1]
    )
    assert not concluded(ProvenCommands(), _days(*_checked("make check"), days=1))


def test_a_command_that_mostly_cannot_run_is_not_named() -> None:
    assert not concluded(ProvenCommands(), _days(failed("make check"), *[failed("make check", _MISSING)] * 3))


def test_stories_in_which_none_could_run_speak_against() -> None:
    broken = session(failed("make check", _MISSING), day=9)
    (draft,) = concluded(ProvenCommands(), [*_days(*_checked("make check")), broken])
    assert [piece.is_against for piece in draft.evidence] == [False, False, True]


def test_long_commands_are_left_out_whole() -> None:
    tasks = [f"make {name}-{'x' * 50}" for name in ("test", "lint", "typecheck", "check", "build")]
    (draft,) = concluded(ProvenCommands(), _days(*[act for task in tasks for act in _checked(task)]))
    assert len(draft.sentence) <= SENTENCE_LIMIT
    assert draft.sentence.count("`") % 2 == 0
    assert draft.sentence.endswith("; from the repository's root.")


def test_the_order_of_sessions_does_not_matter() -> None:
    sessions: list[Digest] = [
        session(*_checked("make test"), ran("make build"), day=1),
        session(ran("npm test"), ran("make test"), day=2),
        session(failed("make build", _MISSING), day=3),
    ]
    drafts = [concluded(ProvenCommands(), order) for order in permutations(sessions)]
    assert drafts[0]
    assert all(some == drafts[0] for some in drafts)


def test_a_command_that_never_worked_is_not_told_as_working() -> None:
    broken = failed("make build", FailureClass.WORK, says="error: lock is stale")
    assert concluded(ProvenCommands(), _days(broken, days=5)) == []
    mostly = [*_days(ran("make build")), *(session(broken, broken, broken, day=day) for day in (3, 4))]
    assert concluded(ProvenCommands(), mostly) == []


def test_runs_of_which_nobody_knows_the_end_say_nothing() -> None:
    unknown = [session(ran("make build", is_over=False), day=day) for day in range(3)]
    assert concluded(ProvenCommands(), unknown) == []
    (draft,) = concluded(
        ProvenCommands(), [*_days(ran("make build")), session(ran("make build", is_over=False), day=5)]
    )
    assert len(draft.evidence) == 2


def test_a_check_that_complained_and_never_passed_is_not_told() -> None:
    assert concluded(ProvenCommands(), _days(failed("make lint"), days=4)) == []


def test_the_command_that_runs_the_tests_is_named_with_its_runs_time_and_folder() -> None:
    drafts = concluded(
        PlainCommands(),
        [
            session(ran("go test ./..."), ran("go test ./..."), day=1),
            session(failed("go test ./...", FailureClass.WORK), day=2),
            session(failed("go test ./...", _MISSING, says="go: command not found"), day=3),
        ],
    )
    assert sentences(drafts) == [
        "In `orchard`, run the tests with `go test ./...` from the repository's root (ran in 3 of 4 tries, about 2 s)."
    ]
    (draft,) = drafts
    assert (draft.category, draft.channel, draft.advice) == (Category.FACT, Channel.OUTCOME, "go test ./...")
    assert [piece.is_against for piece in draft.evidence] == [False, True]


def test_each_purpose_has_its_own_item() -> None:
    acts = [ran("npm test"), ran("npm run lint"), ran("npm run build"), ran("npm run typecheck"), ran("npm run format")]
    assert [draft.key for draft in concluded(PlainCommands(), [session(*acts)])] == [
        ("build",),
        ("format",),
        ("lint",),
        ("test",),
        ("types",),
    ]


def test_a_task_of_the_project_goes_before_the_tool_behind_it() -> None:
    sessions = [session(ran("golangci-lint run ./..."), day=day) for day in range(3)]
    sessions += [session(ran("make lint"), day=day) for day in range(3, 5)]
    (draft,) = concluded(PlainCommands(), sessions)
    assert draft.advice == "make lint"
    assert draft.sentence.endswith("also used: `golangci-lint run ./...`.")


def test_how_a_part_is_run_is_said_where_it_is_another_command() -> None:
    day = [ran("bun run test"), ran("bun test press/crate.test.ts")]
    (draft,) = concluded(PlainCommands(), [session(*day, day=1), session(*day, day=2)])
    assert draft.sentence.endswith("; a part of it: `bun test <path>`.")


def test_what_only_ran_on_some_files_proves_no_command() -> None:
    assert not concluded(PlainCommands(), [session(ran("pytest tests/test_press.py"), day=day) for day in range(3)])


def test_a_command_that_mostly_cannot_run_is_not_named_and_leads_to_the_one_that_can() -> None:
    sessions = [session(failed("pytest", _MISSING), ran("uv run pytest"), day=day) for day in range(2)]
    (draft,) = concluded(PlainCommands(), sessions)
    assert draft.advice == "uv run pytest"
    assert [trigger.program for trigger in draft.triggers] == ["pytest"]


def test_the_folder_is_part_of_the_command() -> None:
    (draft,) = concluded(PlainCommands(), [session(ran("cd web && npx tsc --noEmit"))])
    assert "with `npx tsc --noEmit` from `web` (1 run, about 2 s)" in draft.sentence
    assert draft.advice == "cd web && npx tsc --noEmit"


def test_sessions_outside_a_repository_and_of_other_folders_prove_nothing() -> None:
    assert not concluded(PlainCommands(), [session(ran("go test ./..."), repo="")])
    assert not concluded(PlainCommands(), [session(ran("cd ../plums && go test ./..."))])


def test_the_order_of_sessions_does_not_matter_for_plain_commands() -> None:
    sessions: list[Digest] = [
        session(ran("npm test"), day=1),
        session(ran("yarn test"), ran("npm test"), day=2),
        session(failed("yarn test", _MISSING), day=3),
    ]
    drafts = [concluded(PlainCommands(), order) for order in permutations(sessions)]
    assert all(some == drafts[0] for some in drafts)


def test_of_checks_one_that_was_seen_to_complain_goes_first() -> None:
    silent = [session(ran("npx tsc --noEmit"), day=day) for day in range(3)]
    telling = session(failed("npx tsc -b", FailureClass.WORK), ran("npx tsc -b"), day=4)
    (draft,) = concluded(PlainCommands(), [*silent, telling])
    assert draft.advice == "npx tsc -b"


def test_however_often_it_is_seen_it_waits_for_a_failure() -> None:
    assert PlainCommands.minimum_stories > 1_000
