"""A replayed session is told its own user's words, and nobody else's, as the user's own hooks would tell it."""

from pathlib import Path

from tests.harvest.talks import ORCHARD, talk
from tests.homes import learned, world_of

from afterwit.engine.replay import HookPlayer, past_of
from afterwit.measure.replay import Whereabouts
from afterwit.model.digest import Digest

MIRAS = "From now on, weigh the crates before you load them."
_NOW_MS = 1_790_000_000_000


def _session(user: str, *prompts: str, day: int = 0) -> Digest:
    return talk(*prompts, day=day, name=f"{user} {day}", user=user)


def _heard(player: HookPlayer, user: str, number: int) -> bool:
    here = Whereabouts(f"new-{number}-{len(user)}", "codex", ORCHARD, user=user, began_ms=_NOW_MS)
    return any(MIRAS in saying.text for saying in player.start(here))


def test_words_go_to_whoever_said_them_and_to_a_stranger_while_there_is_one_person(tmp_path: Path) -> None:
    learned(tmp_path / "home", tmp_path / "store")
    everybody = ("mira", "jonas", "vscode", "")
    with past_of(world_of(tmp_path / "home", tmp_path / "store")) as past:
        player = HookPlayer(past)
        for day, task in enumerate(("Count the trees", "Mow the meadow")):
            player.know(_session("mira", task, MIRAS, day=day))
        assert [_heard(player, user, 1) for user in everybody] == [True, True, True, True]
        player.know(_session("jonas", "Pick the pears", day=2))
        assert [_heard(player, user, 2) for user in everybody] == [True, False, False, False]
