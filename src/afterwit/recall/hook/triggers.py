"""The exact question: does this trigger fire here, and what does its advice mean for the command at hand?

Asked only of triggers whose words all occur (`recall.deck.reader`), because what answers it may take long to load: the
parser of command lines, the classes of failures and their signatures. All of it is what `learn` uses, so a failure here
has the signature that it had there.
"""

from afterwit.actions.quick_look import LEAST_BELIEF, ends_of, fits_path, is_any_call, names_missing, says_missing
from afterwit.agents.hook_payloads import Moment, described
from afterwit.recall.deck.location import Location
from afterwit.recall.deck.reader import Deck, DeckLine, DeckTrigger, words_called, words_in

TYPE_CHECKING = False
if TYPE_CHECKING:  # its enumeration takes a hook too long to load
    from collections.abc import Sequence

    from afterwit.model.kinds import ActionKind

_CHANGE = " →"  # between what is wrong and what is right, in an advice that is no command line by itself
_LONGEST_COMMAND = 65_536


class FailedCall:
    """How a call failed, as far as triggers ask."""

    __slots__ = ("error", "signature")

    def __init__(self, signature: str, error: str) -> None:
        self.signature = signature
        self.error = error  # what of the output tells


def failure_of(agent: str, moment: Moment) -> FailedCall | None:
    """The failure that a call ended with; None where it did not fail, or nothing is to be said about it."""
    from afterwit.actions.failures.excerpt import error_excerpt
    from afterwit.actions.failures.signature import answerable_signature
    from afterwit.actions.shell.parse import parsed
    from afterwit.actions.steps import judge, lean_of
    from afterwit.model.kinds import ActionKind, Status, Step

    kind, target = called(agent, moment)
    line = parsed(target) if kind is ActionKind.SHELL else None
    verdict = judge(kind, line, moment.output, is_error=moment.is_error, exit_code=moment.exit_code)
    lean = verdict.lean
    if verdict.status is Status.UNKNOWN and lean is None and line is not None:
        lean = lean_of(line, moment.output)
    step = Step(kind, moment.tool, target, verdict.status, lean, verdict.exit_code, error=error_excerpt(moment.output))
    signature = answerable_signature(step) if step.has_failed else ""
    return FailedCall(signature, step.error) if signature else None


def called(agent: str, moment: Moment) -> "tuple[ActionKind, str]":
    """What kind of action a call is, and what it is about: the command line, the path and others."""
    from afterwit.actions.tools import kind_of, kinds_named, target_of
    from afterwit.model.kinds import ActionKind

    kind = kind_of(kinds_named(described(agent).get("tools", {})), moment.tool, moment.arguments)
    if kind is ActionKind.OTHER and moment.command:
        kind = ActionKind.SHELL
    return kind, moment.command[:_LONGEST_COMMAND] or target_of(kind, moment.tool, moment.arguments)


def is_of_tool(trigger: DeckTrigger, moment: Moment) -> bool:
    return not trigger.tool or trigger.tool == moment.tool


def fires_at_command(trigger: DeckTrigger, command: str) -> bool:
    return is_called_in(command, trigger.program, trigger.words)


def is_called_in(command: str, program: str, wanted: "Sequence[str]") -> bool:
    """Whether a command of the line, or what wraps it, is the program, and the words follow in their order; without a
    program, whether the words do."""
    if not program and not wanted:
        return True
    for words, last in _calls(command[:_LONGEST_COMMAND]):
        starts = [at + 1 for at in range(last) if words[at].rpartition("/")[2] == program]
        if any(_follow(wanted, words[at:]) for at in (starts if program else [0])):
            return True
    return False


def begins_with(program: str, command: str) -> bool:
    """Whether a command of the line begins with this very word."""
    return any(words[:1] == [program] for words, _ in _calls(command[:_LONGEST_COMMAND]))


def _calls(command: str) -> list[tuple[list[str], int]]:
    """The words of each command of a line, and before which of them its arguments begin."""
    from afterwit.actions.shell.parse import parsed

    parts = parsed(command).commands
    return [([word.text for word in part.words], len(part.words) - len(part.arguments)) for part in parts]


def _follow(wanted: "Sequence[str]", words: list[str]) -> bool:
    """Whether the wanted words come in this order, perhaps with others between. A flag may carry a value."""
    rest = iter(words)
    return all(any(_is_word(want, word) for word in rest) for want in wanted)


def _is_word(want: str, word: str) -> bool:
    return want == word or (want.startswith("-") and word.startswith(f"{want}="))


def meant(line: DeckLine, moment: Moment) -> DeckLine | None:
    """The line with its advice for this very command, where the advice is a change; None where it does not fit."""
    if _CHANGE not in line.advice:
        return line
    advice, bare = _change_command(line.advice, moment)
    command = moment.command.strip()
    return line.told(line.text, advice, command if bare == command else "") if advice else None


def _change_command(advice: str, moment: Moment) -> tuple[str, str]:
    """The line that the advice means, and the command without what belongs to the moment."""
    from afterwit.actions.shell.command_changes import advised, bare

    return advised(advice, moment.command), bare(moment.command)


def known_fixes(deck: Deck, agent: str, moment: Moment, place: Location) -> tuple[str, list[DeckLine]]:
    """The signature of a failure that is known, and what fits it, the best first; nothing where it is not known."""
    candidates = _candidates(deck, agent, moment, place)
    if not candidates:
        return "", []

    failure = failure_of(agent, moment)
    if failure is None:
        return "", []
    ranked = []
    for trigger, general in candidates:
        is_meant = not is_any_call(trigger.program, trigger.words, trigger.signature, general.advice)
        clarity = _clarity(trigger, failure, moment) if is_meant else 0
        line = meant(general, moment) if clarity else None
        if line is not None and not _says(moment, line):
            ranked.append(((not line.advice, -clarity, line.breadth, line.number), line))
    best: dict[str, DeckLine] = {}
    for _, line in sorted(ranked, key=lambda rated: rated[0]):
        best.setdefault(line.item, _show_here(line))
    return failure.signature, list(best.values())


def _candidates(deck: Deck, agent: str, moment: Moment, place: Location) -> list[tuple[DeckTrigger, DeckLine]]:
    """What may fit: all words occur that it needs."""
    output = _plain(ends_of(moment.output))
    words = words_in(output)
    pairs = deck.lines("failure", words | words_called(moment.command), place.repo, agent)
    if says_missing(output):
        named = deck.lines("path", words, place.repo, agent)
        pairs += [(trigger, line) for trigger, line in named if line.advice and names_missing(trigger.path, output)]
    return [(trigger, line) for trigger, line in pairs if not trigger.rule and line.confidence >= LEAST_BELIEF]


def _clarity(trigger: DeckTrigger, failure: FailedCall, moment: Moment) -> int:
    """How clearly a trigger means this failure; 0: not at all."""
    if trigger.path:
        return 3 if names_missing(trigger.path, failure.error) else 0
    if trigger.signature not in ("", failure.signature) or not is_of_tool(trigger, moment):
        return 0
    if not fires_at_command(trigger, moment.command):
        return 0
    return 2 if trigger.signature else 1


def _says(moment: Moment, line: DeckLine) -> bool:
    """Whether the output says it already, or the command was just that."""
    advice = line.advice.strip()
    return bool(advice) and (advice in moment.output or advice == moment.command.strip())


def _show_here(line: DeckLine) -> DeckLine:
    """The line with the command to use now, where it does not have it."""
    if not line.advice or line.advice in line.text:
        return line
    from afterwit.redaction.shown import command, joined, ours

    return line.told(joined((line.text, ours(" Here: "), command(line.advice))), line.advice, line.replaces)


def _plain(text: str) -> str:
    """Without colours, whose codes would stick to words."""
    if "\x1b" not in text:
        return text
    import re

    return re.sub(r"\x1b\[[0-9;:?]*[ -/]*[@-~]", " ", text)


def awaited(pairs: list[tuple[DeckTrigger, DeckLine]], agent: str, moment: Moment, place: Location) -> list[DeckLine]:
    """Of these lines those that wait for this action, each once, in the order in which they are said."""
    from afterwit.actions.activities import activities_of
    from afterwit.actions.tools import paths_of

    activities = activities_of(*called(agent, moment))
    named = (moment.path, *paths_of(moment.tool, moment.arguments))
    paths = [below for path in named if path and (below := place.below(path, moment.cwd))]
    waiting: dict[str, DeckLine] = {}
    for trigger, line in pairs:
        is_done = not trigger.activity or trigger.activity in activities
        is_there = not trigger.path or any(fits_path(trigger.path, path) for path in paths)
        is_meant = is_of_tool(trigger, moment) and fires_at_command(trigger, moment.command)
        if is_done and is_there and is_meant and (not trigger.lines or _is_edited(trigger.lines, moment)):
            waiting.setdefault(line.item, line)
    return sorted(waiting.values(), key=lambda line: (line.breadth, line.number))


def _is_edited(lines: list[str], moment: Moment) -> bool:
    """Whether an edit is about one of these lines. An agent that does not tell what it edits is taken to be."""
    texts = [text for text in _texts(moment.arguments) if text not in (moment.path, moment.cwd)]
    told = [text for text in texts if "\n" in text or " " in text]
    return not told or any(line in text for text in told for line in lines)


def _texts(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for part in inner for text in _texts(part)]
