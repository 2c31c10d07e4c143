import pytest
from tests.harvest.talks import concluded, mended, replied, talk

from afterwit.harvest.stated.root_causes import RootCauses, is_lasting_cause
from afterwit.model.digest import Touched, Verdict
from afterwit.model.kinds import Outcome
from afterwit.model.knowledge import Category, Channel

CAUSE = "Root cause: `cider-press` evaluates defaults when a flag is registered."


@pytest.mark.parametrize(
    "text",
    [
        CAUSE,
        "The issue is that `jq` treats `!=` inside double quotes as history expansion.",
        "Turns out the `press` CLI does not read `PRESS_HOME`; it only accepts `--home`.",
        "The actual problem is that Docker's default profile rejects `io_uring`.",
        "The issue is clear from the docs: the Press CLI uses `-f`, not `--yes`.",
    ],
)
def test_a_cause_outside_the_code_lasts(text: str) -> None:
    assert is_lasting_cause(text)


@pytest.mark.parametrize(
    "text",
    [
        "The issue is clear.",
        "I found the root cause.",
        "The fix is to make `git checkout .` non-fatal.",
        "The bug was in `press.turn`, which never stopped.",
        "The problem is that my lookup only uses `Host`.",
        "The issue is probably that `press` does not read the flag.",
        "The bug is in the cleanup at press_test.go:68 of `turn`.",
    ],
)
def test_one_inside_the_code_a_guess_or_a_report_does_not(text: str) -> None:
    assert not is_lasting_cause(text)


def test_a_cause_borne_out_by_a_later_success_is_quoted_and_names_it() -> None:
    [draft] = concluded(RootCauses(), [talk(stated=replied(CAUSE), **mended())])
    assert draft.sentence == (
        'The agent said on 2026-05-01: "`cider-press` evaluates defaults when a flag is registered."'
    )
    assert (draft.category, draft.channel) == (Category.PITFALL, Channel.ASSISTANT)
    assert draft.evidence[0].at == 1


def test_without_a_failure_and_a_success_nothing_is_borne_out() -> None:
    assert concluded(RootCauses(), [talk(stated=replied(CAUSE))]) == []


def test_a_session_that_did_not_end_well_bears_nothing_out() -> None:
    verdict = Verdict(outcome=Outcome.PARTIAL, confidence=0.9)
    assert concluded(RootCauses(), [talk(stated=replied(CAUSE), verdict=verdict, **mended())]) == []


def test_a_cause_about_what_the_session_changed_is_gone_with_the_change() -> None:
    cause = "The issue is that `loadCrates` returns no crates when the barrel is not there."
    changed = Touched("src/crates.ts", 1, 1, ("loadCrates",))
    assert concluded(RootCauses(), [talk(stated=replied(cause), **mended())]) != []
    assert concluded(RootCauses(), [talk(stated=replied(cause), **mended(changed))]) == []
