"""What could be said at this moment, before the session is asked what it has been told already.

Reads the deck and computes; takes no lock and writes nothing, so that hooks of one session can think at the same time.
Mostly there is nothing, and then nothing slow was loaded to find that out.
"""

from collections.abc import Callable

from afterwit.actions.quick_look import is_any_call, may_be
from afterwit.agents.hook_payloads import AFTER, BEFORE, PROMPT, Moment
from afterwit.recall.deck.location import Location
from afterwit.recall.deck.reader import Deck, DeckLine, DeckTrigger, words_called, words_in
from afterwit.recall.history import History
from afterwit.redaction.shown import NOTHING, Shown

_COMPOUND = "|;&\n("
_GUIDANCE = "guidance"
_EDIT = "edit"
_REVIEW = "review"
_READERS = ("read", "view", "grep", "glob", "ls")  # how tools are named that change no file
_PATCH = "*** Begin Patch"
_LONGEST = 65_536  # characters of a patch that are looked at


class Proposal:
    """Lines to tell, sections of a block, or one line to refuse or rewrite a call with."""

    __slots__ = ("awaited", "files", "is_later", "is_refusal", "is_rewrite", "lines", "sections", "signature")

    def __init__(
        self,
        lines: list[DeckLine],
        *,
        signature: str = "",
        is_refusal: bool = False,
        is_rewrite: bool = False,
        is_later: bool = False,
        awaited: "list[DeckLine] | None" = None,
        sections: "tuple[tuple[Shown, tuple[tuple[str, Shown], ...]], ...]" = (),
        files: tuple[str, ...] = (),
    ) -> None:
        self.lines = lines
        self.awaited = awaited or []  # lines that waited for what the action does, the best first
        self.sections = sections  # of the block for a prompt: a heading, and lines with their items
        self.files = files  # that the block guesses, the best first
        self.signature = signature
        self.is_later = is_later  # the prompt is not the first
        self.is_refusal = is_refusal
        self.is_rewrite = is_rewrite


class Permissions:
    """What the user allows at this agent, as far as the agent can do it."""

    __slots__ = ("refuse", "rewrite")

    def __init__(self, *, refuse: bool, rewrite: bool) -> None:
        self.refuse = refuse
        self.rewrite = rewrite


def _new() -> History:
    return History([], "")


def proposed(
    deck: Deck,
    agent: str,
    moment: Moment,
    place: Location,
    may: Permissions,
    history: "Callable[[], History]" = _new,
) -> Proposal | None:
    """What fits the moment; None where nothing does. What the session was told is asked only where it matters."""
    if moment.event == PROMPT:
        return _at_prompt(deck, agent, moment, place, is_later=history().has_prompted)
    if moment.event == BEFORE and moment.command and (may.refuse or may.rewrite):
        return _before(deck, agent, moment, place, may)
    if moment.event == AFTER:
        return _after(deck, agent, moment, place, history)
    return None


def _at_prompt(deck: Deck, agent: str, moment: Moment, place: Location, *, is_later: bool) -> Proposal | None:
    """Where this work is, what is known of it, what was decided about it; later only what is strongly meant."""
    from afterwit.recall.deck.first_prompt import block_at_prompt, later_lines

    if is_later:
        lines = later_lines(deck, agent, moment.prompt, place)
        return Proposal([], sections=((NOTHING, tuple(lines)),), is_later=True) if lines else None
    block = block_at_prompt(deck, agent, moment.prompt, place)
    return Proposal([], sections=block.sections, files=block.files) if block.sections else None


def _before(deck: Deck, agent: str, moment: Moment, place: Location, may: Permissions) -> Proposal | None:
    """A correction of this very command line, else the command that works instead of one like it."""
    pairs = deck.lines("command", words_called(moment.command), place.repo, agent)
    usable = [(trigger, line) for trigger, line in pairs if line.authority == _GUIDANCE and line.advice]
    if not usable:
        return None
    from afterwit.recall.hook.triggers import meant

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
    from afterwit.recall.hook.triggers import begins_with, fires_at_command, is_of_tool

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


def _after(
    deck: Deck, agent: str, moment: Moment, place: Location, history: "Callable[[], History]"
) -> Proposal | None:
    """The known fix, where the call failed, and what waited for what it does."""
    signature, fixes = _fixes(deck, agent, moment, place)
    awaited = _at_activity(deck, agent, moment, place, history)
    return Proposal(fixes, signature=signature, awaited=awaited) if fixes or awaited else None


def _fixes(deck: Deck, agent: str, moment: Moment, place: Location) -> tuple[str, list[DeckLine]]:
    if not _may_have_failed(moment):
        return "", []
    from afterwit.recall.hook.failures import known_fixes

    signature, lines = known_fixes(deck, agent, moment, place)
    return signature if lines else "", lines[: int(deck.share("most_lines"))]


def _may_have_failed(moment: Moment) -> bool:
    """A plain success is none; of a line with several commands the last one alone may have succeeded."""
    if moment.is_error or moment.exit_code or not moment.tool:
        return bool(moment.tool)
    return bool(moment.command) and (moment.is_error is None or any(mark in moment.command for mark in _COMPOUND))


def _at_activity(
    deck: Deck, agent: str, moment: Moment, place: Location, history: "Callable[[], History]"
) -> list[DeckLine]:
    """What waits for an action like this, by its words first: of mostly nothing the exact question is asked."""
    path = place.below(moment.path, moment.cwd) if moment.path else ""
    pairs = deck.lines("activity", _activity_words(moment, path), place.repo, agent)
    if moment.command:
        pairs += deck.lines("first", words_called(moment.command[:_LONGEST]), place.repo, agent)
    if path:
        touched = deck.lines("path", words_in(path), place.repo, agent)
        pairs += [(trigger, line) for trigger, line in touched if not line.advice]
    if pairs:
        told = history().told
        pairs = [(trigger, line) for trigger, line in pairs if line.item not in told]
    if not pairs:
        return []
    from afterwit.recall.hook.activities import awaited

    return awaited(pairs, agent, moment, place)


def _activity_words(moment: Moment, path: str) -> set[str]:
    """Words under which what waits for this action is filed: names of activities that it may be, and of its files."""
    tool = moment.tool.lower()
    if tool.startswith("mcp"):
        return {_REVIEW}
    patch = next((text for text in moment.arguments.values() if isinstance(text, str) and _PATCH in text), "")
    if patch or path:
        return {_EDIT} | words_in(patch[:_LONGEST] or path) if not tool.startswith(_READERS) else set()
    return may_be(moment.command[:_LONGEST]) if moment.command else set()
