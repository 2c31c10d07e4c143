from itertools import permutations

from tests.harvest.talks import concluded, sentences
from tests.harvest.work import failed, ran, session

from afterwit.harvest.commands.proven_commands import PlainCommands
from afterwit.model.digest import Digest
from afterwit.model.kinds import FailureClass
from afterwit.model.knowledge import Category, Channel

_MISSING = FailureClass.ENVIRONMENT


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


def test_the_order_of_sessions_does_not_matter() -> None:
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
