"""A replayed session is told its own user's words, and nobody else's."""

from tests.harvest.talks import ORCHARD, talk

from afterwit.measure.player import Whereabouts
from afterwit.measure.recall_player import RecallPlayer
from afterwit.model.digest import Digest

MIRAS = "From now on, weigh the crates before you load them."


def _session(user: str, *prompts: str, day: int = 0) -> Digest:
    return talk(*prompts, day=day, name=f"{user} {day}", user=user)


def _heard(player: RecallPlayer, user: str) -> str:
    here = Whereabouts(f"new {user}", "codex", ORCHARD, user=user)
    return "\n".join(saying.text for saying in player.start(here))


def test_words_go_to_whoever_said_them_and_to_a_stranger_while_there_is_one_person() -> None:
    player = RecallPlayer()
    for day, task in enumerate(("Count the trees", "Mow the meadow")):
        player.know(_session("mira", task, MIRAS, day=day))
    assert [MIRAS in _heard(player, user) for user in ("mira", "jonas", "vscode", "")] == [True, False, True, True]
    player.know(_session("jonas", "Pick the pears", day=2))
    assert [MIRAS in _heard(player, user) for user in ("mira", "jonas", "vscode", "")] == [True, False, False, False]
