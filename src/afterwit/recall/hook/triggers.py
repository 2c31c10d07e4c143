"""The exact question: does this trigger fire here, and what does its advice mean for the command at hand?

Asked only of triggers whose words all occur (`recall.deck.reader`), because what answers it may take long to load: the
parser of command lines, the classes of failures and their signatures. All of it is what `learn` uses, so a failure here
has the signature that it had there.
"""

from afterwit.agents.hook_payloads import Moment, described
from afterwit.recall.deck.reader import DeckLine, DeckTrigger

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
    advice, bare = _changed(line.advice, moment)
    command = moment.command.strip()
    return line.told(line.text, advice, command if bare == command else "") if advice else None


def _changed(advice: str, moment: Moment) -> tuple[str, str]:
    """The line that the advice means, and the command without what belongs to the moment."""
    from afterwit.actions.shell.command_changes import advised, bare

    return advised(advice, moment.command, moment.output), bare(moment.command)
