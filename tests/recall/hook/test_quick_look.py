"""Looking lines up by words misses nothing that the exact question would find, whatever fails and however it is put."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.knowledge.drafting import HARBOUR, ORCHARD
from tests.recall.hook.invented import (
    ARGUMENTS,
    MESSAGES,
    NAMES,
    PATHS,
    PROGRAMS,
    commands,
    exit_codes,
    failed,
    outputs,
)
from tests.recall.knowing import HERE, item
from tests.thoroughness import examples

from afterwit.actions.failures.signature import answerable_signature
from afterwit.agents.hook_payloads import Moment
from afterwit.model.kinds import ActionKind, Status, Step
from afterwit.model.knowledge import EVERYWHERE, Channel, Item, Scope, ScopeKind, Trigger
from afterwit.recall.deck.firing_lines import lines_of
from afterwit.recall.deck.location import Location
from afterwit.recall.deck.reader import Deck as Opened
from afterwit.recall.deck.reader import DeckLine, DeckTrigger
from afterwit.recall.deck.write import DeckContent, DeckSettings, write_deck
from afterwit.recall.hook.call import Permissions, proposed

_ADVICES = (
    *("", "make pears", "wrapit cargo → cargo", "python → uv run python", "folder/name → folder/*name*", "*.x → '*.x'"),
    *(
        "wrapit … --fast → wrapit …",
        "cat → bat",
        "ls orchard",
        "gh pr view * → gh pr list",
        "--fast →",
        "npm test → npm t",
    ),
)
_SCOPES = (ORCHARD, ORCHARD, EVERYWHERE, HARBOUR, Scope(ScopeKind.AGENT, HERE.agent))
_NOTHING = Permissions(refuse=False, rewrite=False)


def known_items() -> list[Item]:
    """Items for failures of all programs and messages, with advices of all kinds, believed more or less."""
    found = []
    for number, program in enumerate(PROGRAMS):
        for shift in range(0, len(MESSAGES), 3):
            at = number + shift
            message = MESSAGES[at % len(MESSAGES)].format(PATHS[at % 3], NAMES[at % len(NAMES)], 7)
            line = f"{program} {ARGUMENTS[at % len(ARGUMENTS)]}"
            found.append(_item(at + 100 * number, _triggers(at, line, message)))
    return found


def _triggers(number: int, line: str, message: str) -> tuple[Trigger, ...]:
    program, *words = line.split()
    signature = answerable_signature(Step(ActionKind.SHELL, "Bash", line, Status.FAILED, None, None, error=message))
    kinds = (
        Trigger(signature=signature),
        Trigger(program=program.rpartition("/")[2], words=tuple(words[:1]), signature=signature),
        Trigger(program=program.rpartition("/")[2], words=tuple(words[-1:])),
        Trigger(path=PATHS[number % len(PATHS)]),
        Trigger(signature=signature, tool="Bash" if number % 2 else "exec_command"),
    )
    return tuple(kinds[(number + more) % len(kinds)] for more in range(number % 3 + 1))


def _item(number: int, triggers: tuple[Trigger, ...]) -> Item:
    more: dict[str, Any] = {"agents": ("gemini",)} if number % 11 == 0 else {}
    return item(
        f"Prune tree {number} before the harvest.",
        number % 6 + 1,
        advice=_ADVICES[number % len(_ADVICES)],
        triggers=triggers,
        scope=_SCOPES[number % len(_SCOPES)],
        channel=Channel.ASSISTANT if number % 7 == 0 else Channel.OUTCOME,
        **more,
    )


@pytest.fixture(scope="module")
def deck(tmp_path_factory: pytest.TempPathFactory) -> Opened:
    path: Path = tmp_path_factory.mktemp("dealt") / "deck.db"
    write_deck(path, DeckContent(settings=DeckSettings(key=b"k" * 16), lines=tuple(lines_of(known_items()))))
    return Opened(str(path))


class _Patient(Opened):
    """Gives every line, whatever words occur, so that the exact question is asked of all."""

    def lines(self, moment: str, words: set[str], repo: str, agent: str) -> list[tuple[DeckTrigger, DeckLine]]:
        parts = [part for part in (self.part(repo), self._db) if part is not None]
        rows = [row for part in parts for row in part.execute("SELECT word, needs FROM keys")]
        return super().lines(moment, words.union(*(f"{word} {needs}".split() for word, needs in rows)), repo, agent)


def _told(deck: Opened, moment: Moment) -> list[tuple[str, str]]:
    found = proposed(deck, HERE.agent, moment, Location(HERE.repo, "/srv/orchard"), _NOTHING)
    return [(line.item, line.advice) for line in (*found.lines, *found.awaited)] if found else []


@given(commands, outputs, exit_codes, st.sampled_from(("Bash", "exec_command")))
@settings(max_examples=examples(200), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_failure_gets_the_same_fix(deck: Opened, command: str, output: str, code: int | None, tool: str) -> None:
    moment = failed(command, output, code, tool)
    assert _told(deck, moment) == _told(_Patient(deck.path), moment)


@given(commands, outputs, st.sampled_from(((None, None), (False, 0), (None, 0), (None, 2), (False, None))))
@settings(max_examples=examples(80), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_where_the_agent_does_not_say_that_it_failed_it_gets_the_same(
    deck: Opened, command: str, output: str, ending: tuple[bool | None, int | None]
) -> None:
    moment = failed(command, output)
    moment.is_error, moment.exit_code = ending
    assert _told(deck, moment) == _told(_Patient(deck.path), moment)


@pytest.mark.slow
def test_many_of_the_invented_failures_have_a_fix(deck: Opened) -> None:
    moments = [
        failed(program, message.format(path, "cargo", 7), 2)
        for program in PROGRAMS
        for message in MESSAGES
        for path in PATHS[:1]
    ]
    assert sum(bool(_told(deck, moment)) for moment in moments) > len(moments) / 20
