"""What a session tells about where work is."""

from afterwit.model.digest import Digest, Measures, Verdict
from afterwit.model.kinds import ActionKind, Outcome, Status, Step
from afterwit.recall.deck.prompt_tables import sighting_of

_MEASURES = Measures(
    duration_ms=None, first_success_ms=None, errors=0, early_error_rate=None, tool_diversity=0, tokens=0, cost_usd=None
)


def _digest(*steps: Step) -> Digest:
    verdict = Verdict(outcome=next(iter(Outcome)), confidence=0.5)
    return Digest(
        agent="x", native_id="s", task="empty the cart", verdict=verdict, kinds={}, steps=steps, measures=_MEASURES
    )


def _edit(path: str, status: Status = Status.SUCCEEDED) -> Step:
    return Step(ActionKind.EDIT, "Edit", path, status, files=(path,))


def test_failed_changes_and_files_outside_the_repository_are_left_out() -> None:
    told = sighting_of(_digest(_edit("a.py"), _edit("b.py", Status.FAILED), _edit("/etc/hosts")))
    assert list(told.changed) == ["a.py"]
