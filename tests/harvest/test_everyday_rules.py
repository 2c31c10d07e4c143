from itertools import permutations

from tests.harvest.talks import concluded, sentences
from tests.harvest.work import failed, session

from afterwit.harvest.everyday_rules import EverydayRules
from afterwit.harvest.rules import Rules
from afterwit.model.knowledge import Trigger

_UNUSED = (("no-unused-vars", "'crate' is never used"),)


def test_what_every_agent_knows_is_kept_here_and_not_among_the_rules() -> None:
    sessions = [session(failed("make lint", rules=_UNUSED), day=day) for day in range(3)]
    (draft,) = concluded(EverydayRules(), sessions)
    assert draft.sentence.startswith("In `orchard`, `no-unused-vars` keeps failing: remove unused variables")
    assert draft.triggers == (Trigger(rule="no-unused-vars"),)
    assert EverydayRules.minimum_stories > 1_000
    assert not concluded(Rules(), sessions)


def test_checks_within_a_linter_are_told_together() -> None:
    reports = (("revive", "unused-parameter: 'crate' is unused"), ("revive", "redefines-builtin-id: max"))
    (draft,) = concluded(EverydayRules(), [session(failed("make lint", rules=reports), day=day) for day in range(2)])
    assert draft.sentence == (
        "In `orchard`, `revive` keeps failing: do not shadow built-in names (redefines-builtin-id); remove unused"
        " parameters or name them `_` (unused-parameter)."
    )


def test_type_errors_teach_together_to_check_types_earlier() -> None:
    sessions = [
        session(failed("npm run typecheck", rules=((code, "does not fit"),)), day=day)
        for day, code in enumerate(("TS2322", "TS2345", "TS2322"))
    ]
    assert sentences(concluded(EverydayRules(), sessions)) == [
        "In `orchard`, code keeps failing to compile (`TS2322`, `TS2345`): run `npm run typecheck` before linting and"
        " committing."
    ]


def test_the_order_of_sessions_does_not_matter() -> None:
    sessions = [
        session(failed("make lint", rules=_UNUSED)),
        session(failed("npx tsc", rules=(("TS2322", "no"),)), day=1),
        session(failed("make types", rules=(("TS2345", "no"), *_UNUSED)), day=2),
    ]
    drafts = [concluded(EverydayRules(), order) for order in permutations(sessions)]
    assert all(some == drafts[0] for some in drafts)
