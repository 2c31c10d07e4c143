"""What hooks answer from the deck is what recall answers from items."""

from pathlib import Path

import pytest
from tests.knowledge.drafting import HARBOUR
from tests.recall.knowing import HERE, correction, item

from afterwit.agents.moments import AFTER, Moment
from afterwit.model.kinds import ActionKind
from afterwit.model.knowledge import Item, Trigger
from afterwit.recall.at_failure import FailedAction, fix_for
from afterwit.recall.deck.firing_lines import lines_of
from afterwit.recall.deck.location import Location
from afterwit.recall.deck.reader import Deck as Opened
from afterwit.recall.deck.write import DeckContent, DeckSettings, write_deck
from afterwit.recall.hook.proposals import Permissions, proposed

UNKNOWN = "error: unrecognized subcommand 'cargo'\nUsage: wrapit [OPTIONS] <COMMAND>"
MISSING = "cat: .lint.yml: No such file or directory"


def wrong_path(stories: int) -> Item:
    return item(
        "There is no `.lint.yml`: it is `.lint.yaml`.",
        stories,
        advice=".lint.yml → .lint.yaml",
        triggers=(Trigger(path=".lint.yml"),),
    )


def from_deck(path: Path, known: list[Item], command: str, output: str) -> str:
    write_deck(path, DeckContent(settings=DeckSettings(key=b"k" * 16), lines=tuple(lines_of(known))))
    given = {"command": command}
    moment = Moment(
        AFTER, "s1", cwd="/srv/orchard", tool="Bash", arguments={**given}, output=output, is_error=True, exit_code=1
    )
    may = Permissions(refuse=False, rewrite=False)
    found = proposed(Opened(str(path)), HERE.agent, moment, Location(HERE.repo, "/srv/orchard"), may)
    return found.lines[0].advice if found else ""


def from_items(known: list[Item], command: str, output: str) -> str:
    fix = fix_for(known, HERE, FailedAction(ActionKind.SHELL, "Bash", command, output))
    return fix.advice if fix else ""


@pytest.mark.parametrize(
    ("known", "command", "output", "advice"),
    [
        ([correction()], "wrapit cargo test", UNKNOWN, "cargo test"),
        ([correction(1)], "wrapit cargo test", UNKNOWN, "cargo test"),
        ([correction(scope=HARBOUR)], "wrapit cargo test", UNKNOWN, ""),
        ([correction(agents=("gemini",))], "wrapit cargo test", UNKNOWN, ""),
        ([correction()], "wrapit cargo test", "error: the orchard is closed", ""),
        ([wrong_path(3)], "cat .lint.yml", MISSING, "cat .lint.yaml"),
        ([wrong_path(1)], "cat .lint.yml", MISSING, "cat .lint.yaml"),
        ([wrong_path(3)], "cat .other.yml", "cat: .other.yml: No such file or directory", ""),
    ],
)
def test_the_deck_answers_as_the_items_do(
    tmp_path: Path, known: list[Item], command: str, output: str, advice: str
) -> None:
    assert from_items(known, command, output) == advice
    assert from_deck(tmp_path / "deck.db", known, command, output) == advice
