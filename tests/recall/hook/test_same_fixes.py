"""What a hook says after a failure is what recall says, whatever fails and however it is put."""

from functools import cache
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

from afterwit.actions.failures.excerpt import error_excerpt
from afterwit.actions.shell.parse import parsed
from afterwit.actions.steps import judge, lean_of
from afterwit.agents.moments import Moment
from afterwit.harvest.wording import plain
from afterwit.model.kinds import ActionKind, Lean, Status
from afterwit.model.knowledge import EVERYWHERE, Channel, Item, Scope, ScopeKind, Trigger
from afterwit.recall.at_failure import FailedAction, fix_for
from afterwit.recall.deck.firing_lines import lines_of
from afterwit.recall.deck.location import Location
from afterwit.recall.deck.reader import Deck as Opened
from afterwit.recall.deck.write import DeckContent, DeckSettings, write_deck
from afterwit.recall.hook.proposals import Permissions, proposed

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
    signature = FailedAction(ActionKind.SHELL, "Bash", line, message).signature
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


@cache
def known() -> tuple[Item, ...]:
    return tuple(known_items())


@pytest.fixture(scope="module")
def deck(tmp_path_factory: pytest.TempPathFactory) -> Opened:
    path: Path = tmp_path_factory.mktemp("dealt") / "deck.db"
    write_deck(path, DeckContent(settings=DeckSettings(key=b"k" * 16), lines=tuple(lines_of(known()))))
    return Opened(str(path))


def from_deck(deck: Opened, moment: Moment) -> tuple[str, str] | None:
    found = proposed(deck, HERE.agent, moment, Location(HERE.repo, "/srv/orchard"), _NOTHING)
    return (found.lines[0].item, plain(found.lines[0].advice)) if found else None


def from_items(moment: Moment) -> tuple[str, str] | None:
    """What recall says, which is asked of failures alone."""
    line, error = parsed(moment.command), error_excerpt(moment.output)
    verdict = judge(ActionKind.SHELL, line, moment.output, is_error=moment.is_error, exit_code=moment.exit_code)
    lean = verdict.lean or lean_of(line, moment.output)
    if verdict.status is not Status.FAILED and (verdict.status, lean) != (Status.UNKNOWN, Lean.FAILED):
        return None
    fix = fix_for(known(), HERE, FailedAction(ActionKind.SHELL, moment.tool, moment.command, error, moment.exit_code))
    return (fix.item.id, fix.advice) if fix else None


@given(commands, outputs, exit_codes, st.sampled_from(("Bash", "exec_command")))
@settings(max_examples=examples(200), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_failure_gets_the_same_fix(deck: Opened, command: str, output: str, code: int | None, tool: str) -> None:
    moment = failed(command, output, code, tool)
    assert from_deck(deck, moment) == from_items(moment)


@given(commands, outputs, st.sampled_from(((None, None), (False, 0), (None, 0), (None, 2), (False, None))))
@settings(max_examples=examples(80), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_where_the_agent_does_not_say_that_it_failed_the_output_tells_both(
    deck: Opened, command: str, output: str, ending: tuple[bool | None, int | None]
) -> None:
    moment = failed(command, output)
    moment.is_error, moment.exit_code = ending
    assert from_deck(deck, moment) == from_items(moment)


@pytest.mark.slow
def test_many_of_the_invented_failures_have_a_fix(deck: Opened) -> None:
    moments = [
        failed(program, message.format(path, "cargo", 7), 2)
        for program in PROGRAMS
        for message in MESSAGES
        for path in PATHS[:1]
    ]
    told = [from_items(moment) for moment in moments]
    assert [from_deck(deck, moment) for moment in moments] == told
    assert sum(answer is not None for answer in told) > len(told) / 20
