"""A replayed session is told its own user's words, and nobody else's."""

from tests.harvest.talks import ORCHARD, talk

from afterwit.knowledge.whose_words import Listener
from afterwit.measure.player import Whereabouts
from afterwit.measure.recall_player import PastTalks, RecallPlayer
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


def test_talks_of_others_count_and_are_not_quoted() -> None:
    talks = PastTalks()
    talks.know(_session("mira", "The juicer stays on cold pressing."))
    jonas = Listener(frozenset({"mira"}))
    for day, user in enumerate(("mira", "jonas"), start=1):
        assert talks.of(ORCHARD, jonas).size() == day
        talks.know(_session(user, f"The ladders of {user} stay in the barn.", day=day))
    quotes = [quote.text for quote in talks.of(ORCHARD, jonas).quotes(range(3)).values()]
    assert sorted(filter(None, quotes)) == ["The ladders of jonas stay in the barn."]
    assert all(quote.text for quote in talks.of(ORCHARD, Listener()).quotes(range(3)).values())
