"""The block that a session gets when it begins: few things, in a fixed order, the same bytes for the same knowledge.

Standing rules and preferences, commands that work here, facts, what goes wrong here, questions that this session could
answer; each with what it rests on. Chosen by worth per token, within a budget of tokens and characters: first a few
commands that verify work here, then what was counted or decided, then what a model read and is worth telling every
session. Words that no user, outcome or person stands behind are quoted as observations. Where work is, and what was
decided, waits for a prompt, and other notes wait for the files, the activity or the failure that they name. The
template can be replaced; markers are put around it by whoever gives it to an agent.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

from afterwit.actions.activities import is_checking
from afterwit.actions.shell.parse import parsed
from afterwit.harvest.commands.power import is_tellable
from afterwit.knowledge.shown_items import grounds, sentence, standing
from afterwit.model.errors import ConfigError
from afterwit.model.kinds import CHANGES, ActionKind
from afterwit.model.knowledge import (
    READ,
    STANDING,
    Activity,
    Category,
    Channel,
    Item,
    ItemKind,
    ItemStatus,
    Scope,
    Trigger,
)
from afterwit.model.templates import LEAST_EXAMPLES, Template, ToolExample
from afterwit.recall.prompt_block import BlockLine, BlockSection
from afterwit.recall.situation import Situation, expected, holding, per_token, tokens
from afterwit.redaction.shown import NOTHING, Shown, command, joined, name, ours, path
from afterwit.redaction.shown import template as template_piece

MOST_TOKENS = 2_000
MOST_CHARS = 9_500
MOST_QUESTIONS = 3
MOST_READ = 16  # lines of what models read
TEMPLATE = """\
Notes from earlier sessions{where}, each with what it rests on. Only the user's own words among them are \
the user's wish; what you see in the code counts more.
{preferences}{commands}{notes}{pitfalls}{rules}{questions}"""
_FIELD = re.compile(r"\{([a-z_]*)\}")
_FIELDS = frozenset(("where", "preferences", "commands", "notes", "pitfalls", "rules", "questions"))
_OVERHEAD = 120  # characters for markers
_WORTH = 0.1  # actions a session that a read note must be expected to spare to be told to every one
_MOST_VERIFYING = 3
_QUOTED = re.compile(r"`([^`]+)`")
_VERIFYING = (Activity.TEST, Activity.LINT, Activity.BUILD)


class StartSection(StrEnum):
    """Parts of the block, in their order."""

    PREFERENCES = "preferences"
    COMMANDS = "commands"
    NOTES = "notes"
    PITFALLS = "pitfalls"
    RULES = "rules"
    QUESTIONS = "questions"


_TITLES = {
    StartSection.PREFERENCES: "What the user wants:",
    StartSection.COMMANDS: "Commands that work here:",
    StartSection.NOTES: "What else is known here:",
    StartSection.PITFALLS: "What goes wrong here:",
    StartSection.RULES: "Checks that often fail here:",
    StartSection.QUESTIONS: "Still open; say so if you find the answer:",
}
_MOST = {StartSection.QUESTIONS: MOST_QUESTIONS}


class StartSettings(NamedTuple):
    """What people can change."""

    budget_tokens: int = 1_000
    confidence: float = 0.7
    template: str = TEMPLATE


DEFAULTS = StartSettings()


class StartBlock(NamedTuple):
    """What is given, and what was left out and why."""

    sections: tuple[BlockSection, ...]
    items: tuple[Item, ...]
    left_out: tuple[tuple[Item, str], ...] = ()

    @property
    def text(self) -> Shown:
        """The whole block; "" where there is nothing to say."""
        rows = (row for heading, lines in self.sections for row in (heading, *(line.text for line in lines)))
        return joined(rows, "\n") if any(section.lines for section in self.sections) else NOTHING


def start_block(
    items: Iterable[Item],
    situation: Situation,
    stories: Mapping[Scope, int],
    preferences: Sequence[Shown] = (),
    settings: StartSettings = DEFAULTS,
) -> StartBlock:
    """The block for a session in this situation."""
    ranked: list[tuple[Item, StartSection]] = []
    left_out: list[tuple[Item, str]] = []
    for item in holding(items, situation):
        section = section_of(item, stories)
        if section is None:
            continue
        if _is_sure(item, settings) or item.harvester == READ or section is StartSection.RULES:
            ranked.append((item, section))
        else:
            left_out.append((item, f"confidence {item.confidence:.2f}"))
    chosen: dict[StartSection, list[Item]] = {section: [] for section in StartSection}
    room = _Room(settings, preferences)
    read = 0
    for item, section in _best_first(ranked, stories):
        if item.harvester == READ and read >= MOST_READ:
            left_out.append((item, f"the {MOST_READ} read notes that matter most are in"))
        elif len(chosen[section]) >= _MOST.get(section, len(ranked)):
            left_out.append((item, f"the {_MOST[section]} that matter most are in"))
        elif not room.takes(line_of(item), is_first=not chosen[section]):
            left_out.append((item, "no room"))
        else:
            chosen[section].append(item)
            read += item.harvester == READ
    said = tuple(item for section in StartSection for item in chosen[section])
    return StartBlock(tuple(_sections(chosen, preferences, situation, settings)), said, tuple(left_out))


def section_of(item: Item, stories: Mapping[Scope, int]) -> StartSection | None:
    """Where an item belongs in the block; None where it waits for a prompt or an action."""
    if _waits(item, stories):
        return None
    if item.category is Category.QUESTION:
        return StartSection.QUESTIONS
    if item.harvester == READ and verifies(item):
        return StartSection.COMMANDS
    if item.channel is Channel.USER or item.harvester == "person":
        return StartSection.PREFERENCES
    if any(trigger.rule for trigger in item.triggers):
        return StartSection.RULES
    if item.category not in (Category.FACT, Category.PATTERN):
        return StartSection.PITFALLS
    return StartSection.NOTES if item.harvester == READ else StartSection.COMMANDS


def _waits(item: Item, stories: Mapping[Scope, int]) -> bool:
    """What names files or a topic waits for them, unless the topic is beside a failure that it answers, or the user
    wants it of every session; what fires at failures alone waits for one. What a model read waits for what it names,
    unless it is worth telling each session."""
    if item.harvester == READ:
        return expected(item, stories) < _WORTH
    if item.triggers and all(trigger == Trigger(signature=trigger.signature) for trigger in item.triggers):
        return not item.is_pinned
    is_due = item.harvester == STANDING or any(trigger.signature for trigger in item.triggers)
    return any(trigger.path or (trigger.topic and not is_due) for trigger in item.triggers)


def verifies(item: Item) -> bool:
    """Whether an item says with which command work is verified here."""
    if item.category not in (Category.FACT, Category.PATTERN) and item.kind is not ItemKind.PROCEDURE:
        return False
    is_meant = item.harvester != READ or any(trigger.activity in _VERIFYING for trigger in item.triggers)
    lines = (item.advice,) if item.advice else _QUOTED.findall(item.sentence) if is_meant else ()
    return any(is_checking(command) for line in lines for command in parsed(line).commands)


def _best_first(
    ranked: Sequence[tuple[Item, StartSection]], stories: Mapping[Scope, int]
) -> Iterator[tuple[Item, StartSection]]:
    """A few commands that verify work, then what was counted or decided, then what was read; each by its worth."""
    in_order = sorted(ranked, key=lambda placed: (-per_token(placed[0], stories), placed[0].id))
    first = [placed for placed in in_order if verifies(placed[0])][:_MOST_VERIFYING]
    rest = [placed for placed in in_order if placed not in first]
    yield from first
    yield from sorted(rest, key=lambda placed: placed[0].harvester == READ)


def line_of(item: Item) -> Shown:
    """An item as one line of a block."""
    return joined((ours("- "), said_of(item)))


def said_of(item: Item) -> Shown:
    """What an item says, with what it rests on, which of a guess is said before; "" where it may not be told."""
    said = sentence(item)
    if not said or item.status is ItemStatus.CANDIDATE:
        return joined((standing(item), said)) if said else NOTHING
    return joined((standing(item), said, ours(" ("), grounds(item), ours(")")))


def checked_template(text: str, where: str) -> str:
    """The template, or what is wrong with it."""
    unknown = sorted(set(_FIELD.findall(text)) - _FIELDS)
    if unknown:
        fields = ", ".join(f"{{{name}}}" for name in sorted(_FIELDS))
        raise ConfigError(f"{where} has an unknown field {{{unknown[0]}}}. Known are {fields}.")
    return text


class _Room:
    """How much still fits."""

    def __init__(self, settings: StartSettings, preferences: Sequence[str]) -> None:
        self._tokens = min(MOST_TOKENS, settings.budget_tokens)
        self._chars = _OVERHEAD + len(settings.template) + sum(len(line) + 3 for line in preferences)

    def takes(self, line: str, *, is_first: bool) -> bool:
        cost = len(line) + 1 + (60 if is_first else 0)
        fits = self._chars + cost <= MOST_CHARS and tokens("x" * (self._chars + cost)) <= self._tokens
        self._chars += cost if fits else 0
        return fits


def _is_sure(item: Item, settings: StartSettings) -> bool:
    return item.is_pinned or item.belief.mean > settings.confidence or item.category is Category.QUESTION


def _sections(
    chosen: Mapping[StartSection, Sequence[Item]],
    preferences: Sequence[Shown],
    situation: Situation,
    settings: StartSettings,
) -> Iterator[BlockSection]:
    """The template with its fields filled in."""
    repo = name(situation.repo.rpartition("/")[2])
    template = settings.template.replace("{where}", f" in `{repo}`" if repo else "")
    for number, text in enumerate(_FIELD.split(template)):
        if number % 2 == 0:
            yield from (BlockSection(template_piece(row)) for row in [text.strip()] if row)
        elif lines := tuple(_lines(StartSection(text), chosen[StartSection(text)], preferences)):
            yield BlockSection(ours(_TITLES[StartSection(text)]), lines)


def _lines(section: StartSection, items: Sequence[Item], preferences: Sequence[Shown]) -> Iterator[BlockLine]:
    if section is StartSection.PREFERENCES:
        yield from (BlockLine("", joined((ours("- "), line))) for line in preferences)
    for item in sorted(items, key=lambda item: (-item.confidence, item.id)):
        yield BlockLine(item.id, line_of(item))


_HEADING = ours("How an earlier session here did a task, step by step; an example, not the task:")
_LONGEST = 1_600  # characters, a fifth of what a block may hold


def worked_example(template: Template) -> Shown:
    """The lines in one text; "" where there is too little to say."""
    lines = list(_lines_that_fit(template))
    return joined((_HEADING, *lines), "\n") if len(lines) >= LEAST_EXAMPLES else NOTHING


def _lines_that_fit(template: Template) -> Iterator[Shown]:
    room = _LONGEST - len(_HEADING)
    last = NOTHING
    for example in template.examples:
        line = _line(example)
        if line and line != last and len(line) < room:
            room -= len(line) + 1
            last = line
            yield line


def _line(example: ToolExample) -> Shown:
    if example.kind is ActionKind.SHELL:
        said = command(example.target) if is_tellable(example.target) else NOTHING
        return joined((ours("- ran "), said)) if said else NOTHING
    named = path(example.target)
    if example.kind is ActionKind.READ and named:
        return joined((ours("- read "), named))
    return joined((ours("- changed "), named)) if example.kind in CHANGES and named else NOTHING
