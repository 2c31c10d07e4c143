from itertools import permutations

from tests.harvest.talks import concluded, sentences
from tests.harvest.work import failed, session

from afterwit.harvest.rules import EverydayRules, LinterRules
from afterwit.model.knowledge import Trigger

_UNUSED = (("no-unused-vars", "'crate' is never used"),)


def test_what_every_agent_knows_is_kept_here_and_not_among_the_rules() -> None:
    sessions = [session(failed("make lint", rules=_UNUSED), day=day) for day in range(3)]
    (draft,) = concluded(EverydayRules(), sessions)
    assert draft.sentence.startswith("In `orchard`, `no-unused-vars` keeps failing: remove unused variables")
    assert draft.triggers == (Trigger(rule="no-unused-vars"),)
    assert EverydayRules.minimum_stories > 1_000
    assert not concluded(LinterRules(), sessions)


def test_checks_within_a_linter_are_told_together() -> None:
    reports = (("revive", "unused-parameter: 'crate' is unused"), ("revive", "redefines-builtin-id: max"))
    (draft,) = concluded(EverydayRules(), [session(failed("make lint", rules=reports), day=day) for day in range(2)])
    assert draft.sentence == (
        "In `orchard`, `revive` keeps failing: do not shadow built-in names (redefines-builtin-id); remove unused"
        " parameters or name them `_` (unused-parameter)."
    )


def test_type_errors_that_want_the_same_are_told_together() -> None:
    sessions = [
        session(failed("npm run typecheck", rules=((code, "does not fit"),)), day=day)
        for day, code in enumerate(("TS2322", "TS2345", "TS2322"))
    ]
    assert sentences(concluded(EverydayRules(), sessions)) == [
        "In `orchard`, code keeps failing its checks (`TS2322`, `TS2345`): look up the declared type before passing,"
        " assigning or returning a value, and set every required property; `npm run typecheck` shows it."
    ]


def test_codes_that_want_something_else_are_told_apart() -> None:
    reports = (("TS2322", "does not fit"), ("TS2304", "cannot find name"))
    sessions = [session(failed("npx tsc", rules=reports), day=day) for day in range(2)]
    drafts = concluded(EverydayRules(), sessions)
    assert sorted(trigger.rule for draft in drafts for trigger in draft.triggers) == ["TS2304", "TS2322"]
    assert len(drafts) == 2


def test_codes_of_which_no_more_is_known_teach_to_check_earlier() -> None:
    sessions = [
        session(failed("npx tsc", rules=((code, "odd"),)), day=day) for day, code in enumerate(("TS9901", "TS9902"))
    ]
    assert sentences(concluded(EverydayRules(), sessions)) == [
        "In `orchard`, code keeps failing its checks (`TS9901`, `TS9902`): see it early; `npx tsc` shows it."
    ]


def test_the_order_of_sessions_does_not_matter() -> None:
    sessions = [
        session(failed("make lint", rules=_UNUSED)),
        session(failed("npx tsc", rules=(("TS2322", "no"),)), day=1),
        session(failed("make types", rules=(("TS2345", "no"), *_UNUSED)), day=2),
    ]
    drafts = [concluded(EverydayRules(), order) for order in permutations(sessions)]
    assert all(some == drafts[0] for some in drafts)
