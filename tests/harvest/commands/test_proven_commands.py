from itertools import permutations

from tests.harvest.talks import concluded, sentences
from tests.harvest.work import Act, failed, piped, ran, session

from afterwit.harvest.commands.proven_commands import ProvenCommands
from afterwit.model.digest import Digest, Touched
from afterwit.model.kinds import FailureClass
from afterwit.model.knowledge import SENTENCE_LIMIT, Category, Channel

_MISSING = FailureClass.ENVIRONMENT
_SLOW = 300_000


def _days(*acts: Act, days: int = 2) -> list[Digest]:
    return [session(*acts, day=day) for day in range(days)]


def _checked(command: str, duration_ms: int = 2_000) -> tuple[Act, Act]:
    """A check that complained once and then passed."""
    return failed(command), ran(command, duration_ms=duration_ms)


def test_the_commands_that_are_worth_knowing_are_one_item_with_the_time_they_take() -> None:
    (draft,) = concluded(
        ProvenCommands(),
        _days(*_checked("npm test", duration_ms=_SLOW), *_checked("npm run lint"), *_checked("just types")),
    )
    assert draft.sentence == "In `orchard`: tests `npm test` (about 5 min), types `just types`."
    assert (draft.category, draft.channel, draft.advice) == (Category.FACT, Channel.OUTCOME, "npm test")
    assert len(draft.evidence) == 2


def test_what_anybody_would_try_first_is_no_knowledge() -> None:
    assert not concluded(ProvenCommands(), _days(*_checked("go test ./..."), ran("go build ./...")))
    assert not concluded(ProvenCommands(), _days(*_checked("npm run test"), *_checked("npm run lint")))


def test_a_task_of_the_projects_own_runner_is_worth_knowing_and_brings_no_others_along() -> None:
    drafts = concluded(ProvenCommands(), _days(*_checked("go test ./..."), *_checked("just ci")))
    assert sentences(drafts) == ["In `orchard`: all checks `just ci`."]


def test_a_command_of_another_folder_is_worth_knowing() -> None:
    line, files = "cd /srv/orchard/web && npm test", (Touched("web/press.ts", 1, 0),)
    (draft,) = concluded(ProvenCommands(), [session(*_checked(line), files=files, day=day) for day in range(2)])
    assert draft.sentence == "In `orchard`: tests `cd web && npm test`."
    assert draft.advice == "cd web && npm test"


def test_a_command_that_took_the_place_of_one_that_could_not_run_is_worth_knowing() -> None:
    (draft,) = concluded(ProvenCommands(), _days(failed("pytest", _MISSING), *_checked("uv run pytest")))
    assert "tests `uv run pytest` (not `pytest`)" in draft.sentence
    once = [session(failed("pytest", _MISSING), *_checked("uv run pytest")), session(ran("uv run pytest"), day=1)]
    assert not concluded(ProvenCommands(), once)


def test_a_check_that_never_complained_may_check_nothing() -> None:
    assert not concluded(ProvenCommands(), _days(ran("cd /srv/orchard/web && npx tsc --noEmit"), days=5))


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
    assert {piece.excerpt for piece in draft.evidence} == {"make check → succeeded", "make check → could not run"}


def test_long_commands_are_left_out_whole() -> None:
    tasks = [f"make {name}-{'x' * 50}" for name in ("test", "lint", "typecheck", "check", "build")]
    (draft,) = concluded(ProvenCommands(), _days(*[act for task in tasks for act in _checked(task)]))
    assert len(draft.sentence) <= SENTENCE_LIMIT
    assert draft.sentence.count("`") % 2 == 0


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


def test_runs_whose_exit_code_is_hidden_prove_no_command() -> None:
    hidden = [session(failed("make lint"), piped("make lint | tail -3"), day=day) for day in range(6)]
    assert concluded(ProvenCommands(), hidden) == []


def test_a_command_that_only_failed_is_not_told_however_often_it_was_run() -> None:
    missing = failed("./gradlew test", _MISSING, says="./gradlew: No such file or directory")
    assert concluded(ProvenCommands(), _days(missing, days=6)) == []
    assert concluded(ProvenCommands(), [*_days(missing, days=6), session(ran("./gradlew test"), day=9)]) == []


def test_what_was_run_in_another_repository_or_outside_of_any_proves_nothing() -> None:
    assert not concluded(ProvenCommands(), [session(*_checked("make test"), repo="", day=day) for day in range(2)])
    assert not concluded(ProvenCommands(), _days(*_checked("cd ../plums && make test")))


def test_what_only_ran_on_some_files_proves_no_command() -> None:
    assert not concluded(ProvenCommands(), _days(ran("make test tests/press.py", duration_ms=_SLOW)))


def test_a_check_that_complained_and_never_passed_is_not_told() -> None:
    assert concluded(ProvenCommands(), _days(failed("make lint"), days=4)) == []
