"""What could be said at this moment, before the session is asked what it has been told already.

Reads the deck and computes; takes no lock and writes nothing, so that hooks of one session can think at the same time.
Mostly there is nothing, and then nothing slow was loaded to find that out.
"""

from afterwit.agents.moments import AFTER, BEFORE, PROMPT, Moment
from afterwit.deck.words import words_called, words_in
from afterwit.hook.deck import Deck, Line, Trigger
from afterwit.hook.places import Place

_COMPOUND = "|;&\n("
_END_LIMIT = 60_000  # characters of either end of an output that are looked at, as `actions.failure_shapes` does
_GUIDANCE = "guidance"
_NO_SUCH_PLACE = ("o such file", "does not exist", "s a directory", "EISDIR", "ot a directory")
_CHANGE = " → "  # between what is wrong and what is right, in an advice that is no command line by itself


class Proposal:
    """Lines to tell, sections of a block, or one line to refuse or rewrite a call with."""

    __slots__ = ("is_refusal", "is_rewrite", "lines", "sections", "signature")

    def __init__(
        self,
        lines: list[Line],
        *,
        signature: str = "",
        is_refusal: bool = False,
        is_rewrite: bool = False,
        sections: list[tuple[str, list[tuple[str, str]]]] | None = None,
    ) -> None:
        self.lines = lines
        self.sections = sections or []  # of the block for a prompt: a heading, and lines with their items
        self.signature = signature
        self.is_refusal = is_refusal
        self.is_rewrite = is_rewrite


class Permissions:
    """What the user allows at this agent, as far as the agent can do it."""

    __slots__ = ("refuse", "rewrite")

    def __init__(self, *, refuse: bool, rewrite: bool) -> None:
        self.refuse = refuse
        self.rewrite = rewrite


def proposed(deck: Deck, agent: str, moment: Moment, place: Place, may: Permissions) -> Proposal | None:
    """What fits the moment; None where nothing does."""
    if moment.event == PROMPT:
        return _at_prompt(deck, agent, moment, place)
    if moment.event == BEFORE and moment.command and (may.refuse or may.rewrite):
        return _before(deck, agent, moment, place, may)
    if moment.event == AFTER:
        return _after_failure(deck, agent, moment, place) or _at_path(deck, agent, moment, place)
    return None


def _at_prompt(deck: Deck, agent: str, moment: Moment, place: Place) -> Proposal | None:
    """Where this work is, what bites there, what was decided about it."""
    from afterwit.hook.prompting import prompt_sections

    sections = prompt_sections(deck, agent, moment.prompt, place)
    return Proposal([], sections=sections) if sections else None


def _before(deck: Deck, agent: str, moment: Moment, place: Place, may: Permissions) -> Proposal | None:
    """A correction of this very command line, else the command that works instead of one like it."""
    found = deck.lines("command", words_called(moment.command), place.repo, agent)
    usable = [(trigger, line) for trigger, line in found if line.authority == _GUIDANCE and line.advice]
    for trigger, general in usable:
        if not _fires_before(trigger, moment):
            continue
        line = _meant(general, moment)
        if line is None or line.advice.strip() == moment.command.strip():
            continue
        if may.rewrite and _is_rewritable(deck, line, moment.command):
            return Proposal([line], is_rewrite=True)
        if may.refuse and line.confidence >= deck.share("refuse_confidence"):
            return Proposal([line], is_refusal=True)
    return None


def _meant(line: Line, moment: Moment) -> Line | None:
    """The line with its advice for this very command, where the advice is a change; None where it does not fit."""
    if _CHANGE not in line.advice:
        return line
    from afterwit.actions.command_changes import advised
    from afterwit.actions.command_words import bare

    advice = advised(line.advice, moment.command, moment.output)
    if not advice:
        return None
    command = moment.command.strip()
    replaces = command if bare(command) == command else ""
    return Line(line.item, line.text, line.authority, advice, replaces, line.confidence)


def _fires_before(trigger: Trigger, moment: Moment) -> bool:
    from afterwit.hook.firing import fires_at_command, is_of_tool

    return is_of_tool(trigger, moment) and fires_at_command(trigger, moment.command)


def _is_rewritable(deck: Deck, line: Line, command: str) -> bool:
    """Proven, exact, and without anything that a shell takes for more than a word."""
    return (
        line.replaces.strip() == command.strip() != ""
        and line.confidence >= deck.share("rewrite_confidence")
        and not set(line.advice) & set("`$&|;<>(){}[]*?!~#\\'\"\n\r")
    )


def _after_failure(deck: Deck, agent: str, moment: Moment, place: Place) -> Proposal | None:
    if not _may_have_failed(moment):
        return None
    output = _plain(_ends(moment.output))
    misplaced = _misplaced(deck, agent, place, output)
    if misplaced is not None:
        here = _meant(misplaced, moment)
        return Proposal([_shown_here(here)]) if here is not None and not _says(moment, here) else None
    found = deck.lines("failure", words_in(output) | words_called(moment.command), place.repo, agent)
    if not found:
        return None
    signature, fitting = _plainly(found, moment, output) or _exactly(found, agent, moment)
    meant = [line for general in fitting if (line := _meant(general, moment)) is not None]
    lines = _each_once([_shown_here(line) for line in meant if not _says(moment, line)])
    return Proposal(lines[: int(deck.share("most_lines"))], signature=signature) if lines else None


def _misplaced(deck: Deck, agent: str, place: Place, output: str) -> Line | None:
    """The line about a wrong path that the error names."""
    if not any(words in output for words in _NO_SUCH_PLACE):
        return None
    lines = deck.lines("path", words_in(output), place.repo, agent)
    return next((line for trigger, line in lines if line.advice and _names(output, trigger.path)), None)


def _names(output: str, path: str) -> bool:
    """Whether a path stands in an output by itself, and not as a piece of another."""
    at = output.find(path)
    while at >= 0:
        before, after = output[at - 1 : at], output[at + len(path) : at + len(path) + 1]
        if not (before.isalnum() or before in ("_", ".", "-")) and not (
            after.isalnum() or after in ("_", ".", "/", "-")
        ):
            return True
        at = output.find(path, at + 1)
    return False


def _plainly(found: list[tuple[Trigger, Line]], moment: Moment, output: str) -> tuple[str, list[Line]] | None:
    """The lines that fire, where that is plain to see."""
    from afterwit.hook.plain_failures import fires_plainly, is_plain, plain_lines

    if not is_plain(moment):
        return None
    shown = plain_lines(output)
    fitting = [(trigger, line) for trigger, line in found if fires_plainly(trigger, moment, shown)]
    return (fitting[0][0].signature, [line for _, line in fitting]) if fitting else None


def _exactly(found: list[tuple[Trigger, Line]], agent: str, moment: Moment) -> tuple[str, list[Line]]:
    from afterwit.hook.firing import failure_of, fires_at_failure

    failure = failure_of(agent, moment)
    if failure is None:
        return "", []
    return failure.signature, [line for trigger, line in found if fires_at_failure(trigger, failure, moment)]


def _may_have_failed(moment: Moment) -> bool:
    """A plain success is none; of a line with several commands the last one alone may have succeeded."""
    if moment.is_error or moment.exit_code or not moment.tool:
        return bool(moment.tool)
    return bool(moment.command) and (moment.is_error is None or any(each in moment.command for each in _COMPOUND))


def _says(moment: Moment, line: Line) -> bool:
    """Whether the output says it already, or the command was just that."""
    advice = line.advice.strip()
    return bool(advice) and (advice in moment.output or advice == moment.command.strip())


def _shown_here(line: Line) -> Line:
    """The line with the command to use now, where it does not have it."""
    if not line.advice or line.advice in line.text:
        return line
    text = f"{line.text} Here: `{line.advice.replace('`', chr(39))}`"
    return Line(line.item, text, line.authority, line.advice, line.replaces, line.confidence)


def _at_path(deck: Deck, agent: str, moment: Moment, place: Place) -> Proposal | None:
    path = place.below(moment.path, moment.cwd) if moment.path else ""
    if not path:
        return None
    found = deck.lines("path", words_in(path), place.repo, agent)
    if not found:
        return None
    from afterwit.hook.firing import fits_path, is_of_tool

    fitting = [
        line
        for trigger, line in found
        if not line.advice and is_of_tool(trigger, moment) and fits_path(trigger.path, path)
    ]
    lines = _each_once(fitting)[: int(deck.share("most_lines"))]
    return Proposal(lines) if lines else None


def _each_once(lines: list[Line]) -> list[Line]:
    found: dict[str, Line] = {}
    for line in lines:
        found.setdefault(line.item, line)
    return list(found.values())


def _ends(text: str) -> str:
    return text if len(text) <= 2 * _END_LIMIT else f"{text[:_END_LIMIT]}\n{text[-_END_LIMIT:]}"


def _plain(text: str) -> str:
    """Without colours, whose codes would stick to words."""
    if "\x1b" not in text:
        return text
    import re

    return re.sub(r"\x1b\[[0-9;:?]*[ -/]*[@-~]", " ", text)
