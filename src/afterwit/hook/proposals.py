"""What could be said at this moment, before the session is asked what it has been told already.

Reads the deck and computes; takes no lock and writes nothing, so that hooks of one session can think at the same time.
Mostly there is nothing, and then nothing slow was loaded to find that out.
"""

from afterwit.actions.failures.quick_look import is_any_call
from afterwit.agents.moments import AFTER, BEFORE, PROMPT, Moment
from afterwit.guard.shown import Shown
from afterwit.recall.deck.location import Location
from afterwit.recall.deck.reader import Deck, DeckLine, DeckTrigger, words_called, words_in

_COMPOUND = "|;&\n("
_GUIDANCE = "guidance"


class Proposal:
    """Lines to tell, sections of a block, or one line to refuse or rewrite a call with."""

    __slots__ = ("is_refusal", "is_rewrite", "lines", "sections", "signature")

    def __init__(
        self,
        lines: list[DeckLine],
        *,
        signature: str = "",
        is_refusal: bool = False,
        is_rewrite: bool = False,
        sections: "tuple[tuple[Shown, tuple[tuple[str, Shown], ...]], ...]" = (),
    ) -> None:
        self.lines = lines
        self.sections = sections  # of the block for a prompt: a heading, and lines with their items
        self.signature = signature
        self.is_refusal = is_refusal
        self.is_rewrite = is_rewrite


class Permissions:
    """What the user allows at this agent, as far as the agent can do it."""

    __slots__ = ("refuse", "rewrite")

    def __init__(self, *, refuse: bool, rewrite: bool) -> None:
        self.refuse = refuse
        self.rewrite = rewrite


def proposed(deck: Deck, agent: str, moment: Moment, place: Location, may: Permissions) -> Proposal | None:
    """What fits the moment; None where nothing does."""
    if moment.event == PROMPT:
        return _at_prompt(deck, agent, moment, place)
    if moment.event == BEFORE and moment.command and (may.refuse or may.rewrite):
        return _before(deck, agent, moment, place, may)
    if moment.event == AFTER:
        return _after_failure(deck, agent, moment, place) or _at_path(deck, agent, moment, place)
    return None


def _at_prompt(deck: Deck, agent: str, moment: Moment, place: Location) -> Proposal | None:
    """Where this work is, what is known of it, what was decided about it."""
    from afterwit.recall.deck.first_prompt import prompt_sections

    sections = prompt_sections(deck, agent, moment.prompt, place)
    return Proposal([], sections=sections) if sections else None


def _before(deck: Deck, agent: str, moment: Moment, place: Location, may: Permissions) -> Proposal | None:
    """A correction of this very command line, else the command that works instead of one like it."""
    pairs = deck.lines("command", words_called(moment.command), place.repo, agent)
    usable = [(trigger, line) for trigger, line in pairs if line.authority == _GUIDANCE and line.advice]
    if not usable:
        return None
    from afterwit.hook.triggers import meant

    for trigger, general in usable:
        is_any = is_any_call(trigger.program, trigger.words, trigger.signature, general.advice)
        if not _fires_before(trigger, moment, is_any=is_any):
            continue
        line = meant(general, moment)
        if line is None or line.advice.strip() == moment.command.strip():
            continue
        if may.rewrite and not is_any and _is_rewritable(deck, line, moment.command):
            return Proposal([line], is_rewrite=True)
        if may.refuse and line.confidence >= deck.share("refuse_confidence"):
            return Proposal([line], is_refusal=True)
    return None


def _fires_before(trigger: DeckTrigger, moment: Moment, *, is_any: bool) -> bool:
    """Whether the command is meant. Where any call of a program is, it has to stand there plainly: `uv run pytest` and
    `.venv/bin/pytest` do not call the `pytest` that is missing."""
    from afterwit.hook.triggers import begins_with, fires_at_command, is_of_tool

    if is_any and not begins_with(trigger.program, moment.command):
        return False
    return is_of_tool(trigger, moment) and fires_at_command(trigger, moment.command)


def _is_rewritable(deck: Deck, line: DeckLine, command: str) -> bool:
    """Proven, exact, and without anything that a shell takes for more than a word."""
    return (
        line.replaces.strip() == command.strip() != ""
        and line.confidence >= deck.share("rewrite_confidence")
        and not set(line.advice) & set("`$&|;<>(){}[]*?!~#\\'\"\n\r")
    )


def _after_failure(deck: Deck, agent: str, moment: Moment, place: Location) -> Proposal | None:
    if not _may_have_failed(moment):
        return None
    from afterwit.hook.failures import known_fixes

    signature, lines = known_fixes(deck, agent, moment, place)
    return Proposal(lines[: int(deck.share("most_lines"))], signature=signature) if lines else None


def _may_have_failed(moment: Moment) -> bool:
    """A plain success is none; of a line with several commands the last one alone may have succeeded."""
    if moment.is_error or moment.exit_code or not moment.tool:
        return bool(moment.tool)
    return bool(moment.command) and (moment.is_error is None or any(mark in moment.command for mark in _COMPOUND))


def _at_path(deck: Deck, agent: str, moment: Moment, place: Location) -> Proposal | None:
    path = place.below(moment.path, moment.cwd) if moment.path else ""
    if not path:
        return None
    pairs = deck.lines("path", words_in(path), place.repo, agent)
    if not pairs:
        return None
    from afterwit.actions.path_patterns import fits_path
    from afterwit.hook.triggers import is_of_tool

    fitting = [
        line
        for trigger, line in pairs
        if not line.advice and is_of_tool(trigger, moment) and fits_path(trigger.path, path)
    ]
    lines = _each_once(fitting)[: int(deck.share("most_lines"))]
    return Proposal(lines) if lines else None


def _each_once(lines: list[DeckLine]) -> list[DeckLine]:
    first = {line.item: line for line in reversed(lines)}
    return [line for line in lines if first[line.item] is line]
