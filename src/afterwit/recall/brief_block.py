"""The page as a session is told it: the same bytes for the same page, headings with their lines, in the page's order.

Lines come from a compilation or from a person (`knowledge.brief`); besides, and where nothing was compiled, by rule:
what was counted, said or approved and is worth every session. What no user, outcome or person stands behind is marked
as seen. A page has a budget of tokens and characters; of what is counted, what users had to say again comes first, then
the most useful. A subagent is told what must pass and what this machine is like. Markers are put around it by whoever
gives it to an agent.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from afterwit.actions.activities import is_checking
from afterwit.actions.shell.parse import parsed
from afterwit.harvest.commands.power import is_tellable
from afterwit.knowledge.brief import Page, Thread, ToldLine, is_compiled, told_lines
from afterwit.knowledge.shown_items import grounds, line_text, sentence, standing
from afterwit.knowledge.whose_words import Listener
from afterwit.model.brief import BRIEF_TOKENS, Heading, Line
from afterwit.model.kinds import CHANGES, ActionKind
from afterwit.model.knowledge import (
    IMPORT,
    STANDING,
    Category,
    Channel,
    Item,
    ItemKind,
    ItemStatus,
    Scope,
    Trigger,
)
from afterwit.model.templates import LEAST_EXAMPLES, Template, ToolExample
from afterwit.recall.deck.reader import LOOKER, SESSION, SUBAGENT
from afterwit.recall.prompt_block import BlockLine, BlockSection
from afterwit.recall.situation import Situation, holding, per_token
from afterwit.redaction.shown import NOTHING, Shown, command, joined, name, ours, path

MOST_TOKENS = 2_000
MOST_CHARS = 9_500
SUBAGENT_TOKENS = 300
_HEARD = {  # of the page, by those who do not hear all of it; the first have their room first
    SUBAGENT: (Heading.MACHINE, Heading.MUST),
    LOOKER: (Heading.MACHINE,),
}
_MARKS = 3  # characters around a line
_OVERHEAD = 120  # characters for markers and the name of the repository
_BEFORE = "What earlier sessions in "
_AFTER = " learned. Lines with “seen:” are what an agent saw; what the code shows counts more."
_HEADED = {heading: f"{heading.in_words}:" for heading in Heading}
_ENVIRONMENT = "environment"


class BriefSettings(NamedTuple):
    """What people can change."""

    budget_tokens: int = BRIEF_TOKENS
    confidence: float = 0.7  # above which a note that was counted stands on the page


class StartBlock(NamedTuple):
    """What is given, and what was left out and why."""

    sections: tuple[BlockSection, ...] = ()
    lines: tuple[ToldLine, ...] = ()
    left_out: tuple[tuple[ToldLine, str], ...] = ()

    @property
    def text(self) -> Shown:
        """The whole block; "" where there is nothing to say."""
        rows = (row for heading, lines in self.sections for row in (heading, *(line.text for line in lines)))
        return joined(rows, "\n") if any(section.lines for section in self.sections) else NOTHING


def start_block(
    page: Page,
    items: Sequence[Item],
    situation: Situation,
    to: Listener,
    stories: Mapping[Scope, int],
    preferences: Sequence[Shown] = (),
    settings: BriefSettings | None = None,
    listener: str = SESSION,
) -> StartBlock:
    """What a session in this situation begins with, or a subagent of it."""
    settings = settings or BriefSettings()
    written = [
        told
        for told in told_lines(page, items, to)
        if told.line.heading and (not told.agents or situation.agent in told.agents)
    ]
    by_rule = _by_rule(page, items, situation, stories, settings)
    headings = _HEARD.get(listener)
    room = _Room(min(MOST_TOKENS, settings.budget_tokens) if headings is None else SUBAGENT_TOKENS, preferences)
    kept: list[ToldLine] = []
    left_out: list[tuple[ToldLine, str]] = []
    chosen = [*written, *by_rule]
    if headings is not None:
        chosen = [told for heading in headings for told in chosen if told.line.heading is heading]
    for told in chosen:
        if room.takes(line_of(told)):
            kept.append(told)
        else:
            left_out.append((told, "no room"))
    given = preferences if headings is None else ()
    return StartBlock(tuple(_sections(kept, given, situation)), tuple(kept), tuple(left_out))


def line_of(told: ToldLine) -> Shown:
    """A line as it is said; "" where it may not be told."""
    text = line_text(told.line.text, told.items, is_own=told.line.is_own)
    return joined((ours("seen: ") if told.is_seen else NOTHING, text)) if text else NOTHING


def _sections(kept: Sequence[ToldLine], preferences: Sequence[Shown], situation: Situation) -> Iterator[BlockSection]:
    repo = name(situation.repo.rpartition("/")[2])
    where = joined((ours("`"), repo, ours("`"))) if repo else ours("this repository")
    yield BlockSection(joined((ours(_BEFORE), where, ours(_AFTER))))
    for heading in Heading:
        lines = [BlockLine(told.line.id, line_of(told)) for told in kept if told.line.heading is heading]
        if heading is Heading.WISH:
            lines = [*(BlockLine("", line) for line in preferences), *lines]
        if lines:
            rows = (BlockLine(item, joined((ours("- "), text))) for item, text in lines)
            yield BlockSection(ours(_HEADED[heading]), tuple(rows))


def _by_rule(
    page: Page, items: Iterable[Item], situation: Situation, stories: Mapping[Scope, int], settings: BriefSettings
) -> list[ToldLine]:
    """Lines of notes that no line of the page rests on: counted, said or approved. What a model left out of what was
    counted stays: it is seen to hold in many sessions, and so is seldom wrong."""
    cited = {note for line in page.lines for note in line.notes}
    ranked: list[tuple[float, ToldLine]] = []
    for item in holding(items, situation):
        ids = {item.id, *item.merged}
        heading = heading_of(item)
        is_sure = item.is_decided or item.belief.mean > settings.confidence or any(t.rule for t in item.triggers)
        if heading is None or is_compiled(item) or not ids.isdisjoint(cited) or not is_sure:
            continue
        line = Line(id=item.id, text=item.sentence, heading=heading, notes=(item.id,))
        if not page.refuses(line):
            told = ToldLine(line, bool(standing(item)), item.agents, (item,))
            ranked.append((-per_token(item, stories), told))
    ranked.sort(
        key=lambda pair: (-pair[1].items[0].repeated, not is_verifying(pair[1].items[0]), pair[0], pair[1].line.id)
    )
    return [told for _, told in ranked]


def heading_of(item: Item) -> Heading | None:
    """Under which heading a note would stand; None where it waits for a prompt, an action or a failure."""
    if _waits(item) or item.category is Category.QUESTION or item.kind is ItemKind.THREAD:
        return None
    if item.harvester == _ENVIRONMENT or item.category is Category.TOOL_QUIRK:
        return Heading.MACHINE
    is_shared_wish = item.harvester == IMPORT and item.category is Category.PATTERN and not item.advice
    if item.channel is Channel.USER or item.harvester == "person" or is_shared_wish:
        return Heading.WISH
    if any(trigger.rule for trigger in item.triggers) or item.category in (Category.FACT, Category.PATTERN):
        return Heading.MUST
    return Heading.TRAP


def _waits(item: Item) -> bool:
    """What names files or a topic waits for them, unless the topic is beside a failure that it answers, or the user
    wants it of every session; what fires at failures alone waits for one."""
    if item.triggers and all(trigger == Trigger(signature=trigger.signature) for trigger in item.triggers):
        return not item.is_pinned
    is_due = item.harvester == STANDING or any(trigger.signature for trigger in item.triggers)
    return any(trigger.path or (trigger.topic and not is_due) for trigger in item.triggers)


def is_verifying(item: Item) -> bool:
    """Whether an item says with which command work is verified here."""
    if item.category not in (Category.FACT, Category.PATTERN) or not item.advice:
        return False
    return any(is_checking(command) for command in parsed(item.advice).commands)


def said_of(item: Item) -> Shown:
    """What a note says by itself, with what it rests on, which of a guess is said before; "" where it may not be
    told."""
    said = sentence(item)
    if not said or item.status is ItemStatus.CANDIDATE:
        return joined((standing(item), said)) if said else NOTHING
    return joined((standing(item), said, ours(" ("), grounds(item), ours(")")))


def thread_lines(thread: Thread) -> list[BlockLine]:
    """What is told of work in progress, the latest first."""
    said = (BlockLine(item.id, sentence(item)) for item in thread.items)
    return [line for line in said if line.text]


class _Room:
    """How much still fits."""

    def __init__(self, most_tokens: int, preferences: Sequence[str]) -> None:
        self._tokens = most_tokens
        words = sum(len(text) + 1 for text in (_BEFORE, _AFTER, *_HEADED.values()))
        self._chars = _OVERHEAD + words + sum(len(line) + _MARKS for line in preferences)

    def takes(self, line: str) -> bool:
        cost = len(line) + _MARKS
        fits = bool(line) and self._chars + cost <= min(MOST_CHARS, self._tokens * 4)
        self._chars += cost if fits else 0
        return fits


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
