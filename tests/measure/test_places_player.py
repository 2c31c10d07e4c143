"""What the player *places* learns from digests and says at the first prompt."""

from afterwit.measure.player import Whereabouts
from afterwit.measure.recall_player import PlacesPlayer
from afterwit.model.digest import Digest, DigestStep, Measures, Verdict
from afterwit.model.kinds import ActionKind, Outcome, Status
from afterwit.recall.from_digest import sighting_of

_MEASURES = Measures(
    duration_ms=None, first_success_ms=None, errors=0, early_error_rate=None, tool_diversity=0, tokens=0, cost_usd=None
)


def _digest(*steps: DigestStep, repo: str = "shop") -> Digest:
    verdict = Verdict(outcome=next(iter(Outcome)), confidence=0.5)
    return Digest(
        agent="x",
        native_id="s",
        repo=repo,
        task="empty the cart",
        verdict=verdict,
        kinds={},
        steps=steps,
        measures=_MEASURES,
    )


def _edit(path: str, status: Status = Status.SUCCEEDED) -> DigestStep:
    return DigestStep(ActionKind.EDIT, "Edit", path, status, files=(path,))


def test_failed_changes_and_files_outside_the_repository_are_left_out() -> None:
    told = sighting_of(_digest(_edit("a.py"), _edit("b.py", Status.FAILED), _edit("/etc/hosts")))
    assert list(told.changed) == ["a.py"]


def test_it_names_files_of_the_same_repository_only() -> None:
    player = PlacesPlayer()
    player.know(_digest(_edit("cart.py")))
    said = list(player.prompt(Whereabouts("t", "x", "shop"), "the cart is empty"))
    assert [one.files for one in said] == [("cart.py",)]
    assert not list(player.prompt(Whereabouts("t", "x", "other"), "the cart is empty"))
