from itertools import permutations

from tests.harvest.talks import concluded, sentences
from tests.harvest.work import Act, committed, edited, failed, ran, session

from afterwit.harvest.procedures import Procedures
from afterwit.model.digest import Digest
from afterwit.model.knowledge import Channel, Trigger

_TYPES = (("TS2322", "does not fit"),)
_STYLE = (("format", "differs"),)


def _refused(*rules: tuple[str, str], step: str = "commit -m plums") -> Act:
    return failed(f"git {step}", rules=rules)


def test_a_check_that_a_hook_asks_for_and_sessions_left_out_is_a_procedure() -> None:
    acts = [edited("press.ts"), ran("npm test"), _refused(*_TYPES), ran("npm run typecheck"), committed()]
    (draft,) = concluded(Procedures(), [session(*acts, day=day) for day in range(2)])
    assert draft.sentence == (
        "In `orchard`, a hook refuses `git commit` where `npm run typecheck` fails: run it before; in 2 sessions it had"
        " been left out."
    )
    assert (draft.channel, draft.advice) == (Channel.OUTCOME, "npm run typecheck")
    assert draft.triggers == (Trigger(program="git", words=("commit",)),)
    assert len(draft.evidence) == 2


def test_the_command_may_be_known_from_another_session() -> None:
    sessions = [session(_refused(*_STYLE, step="push"), day=1), session(ran("make lint"), day=2)]
    (draft,) = concluded(Procedures(), sessions)
    assert "a hook refuses `git push` where `make lint` fails" in draft.sentence


def test_where_nobody_ran_the_check_nothing_can_be_told() -> None:
    assert not concluded(Procedures(), [session(_refused(*_TYPES), day=day) for day in range(2)])


def test_a_check_that_was_run_since_the_last_change_was_not_left_out() -> None:
    acts = [edited("press.ts"), ran("npm run typecheck"), _refused(*_TYPES)]
    assert not concluded(Procedures(), [session(*acts, day=day) for day in range(2)])


def test_a_check_before_the_last_change_was_left_out() -> None:
    acts = [ran("npm run typecheck"), edited("press.ts"), _refused(*_TYPES)]
    assert len(concluded(Procedures(), [session(*acts)])) == 1


def test_what_everyone_does_and_was_never_missed_is_no_procedure() -> None:
    acts = [edited("press.ts"), ran("npm test"), ran("npm run lint"), committed()]
    assert not concluded(Procedures(), [session(*acts, day=day) for day in range(9)])


def test_a_commit_that_was_refused_for_other_reasons_tells_nothing() -> None:
    acts = [failed("git push", says="rejected: fetch first"), ran("npm run lint")]
    assert not concluded(Procedures(), [session(*acts, day=day) for day in range(3)])


def test_the_order_of_sessions_does_not_matter() -> None:
    sessions: list[Digest] = [
        session(_refused(*_TYPES), ran("npm run typecheck"), day=1),
        session(_refused(*_TYPES, step="push"), ran("npx tsc"), day=2),
        session(ran("npx tsc"), day=3),
    ]
    told = [sentences(concluded(Procedures(), order)) for order in permutations(sessions)]
    assert told[0]
    assert all(some == told[0] for some in told)
