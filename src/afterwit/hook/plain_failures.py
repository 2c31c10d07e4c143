"""Recognises a known failure without loading what computes signatures, where that is safe.

A plain failure is one command, without pipes or joints, that certainly failed. It has a signature if the signature's
program is called and all that the signature keeps of the telling line stands in one line of the output, in order. What
is not recognised here is not unknown yet: then the exact question is asked (`firing`).
"""

from afterwit.agents.moments import Moment
from afterwit.deck.words import words_called, words_in
from afterwit.hook.deck import Trigger

_JOINTS = "|;&\n(`$"
_FEWEST_WORDS = 2
_LONGEST_SIGNATURE = 120
_LONGEST_LINE = 2_000
_SUMMED_UP = ("tests fail", "build fails", "rules ", "command not found: ")
_OTHER_ENDINGS = (124, 126, 127, 130, 137, 141)  # out of time, cannot run, not found, interrupted, killed, broken pipe


def is_plain(moment: Moment) -> bool:
    """Whether a call is one command that certainly failed."""
    has_failed = bool(moment.is_error or moment.exit_code) and moment.exit_code not in _OTHER_ENDINGS
    return has_failed and bool(moment.command) and not any(each in moment.command for each in _JOINTS)


def fires_plainly(trigger: Trigger, moment: Moment, lines: list[str]) -> bool:
    """Whether a plain failure, with these lines of output, is plainly what the trigger waits for."""
    if not trigger.signature or trigger.rule or trigger.tool or trigger.program or trigger.words:
        return False
    head, _, template = trigger.signature.partition(": ")
    pieces = _pieces(template)
    if not words_in(head) or len(words_in(" ".join(pieces))) < _FEWEST_WORDS or template.startswith(_SUMMED_UP):
        return False
    return words_in(head) <= words_called(moment.command) and any(_holds(line, pieces) for line in lines)


def plain_lines(output: str) -> list[str]:
    """The lines of an output, blanks brought together, each once."""
    return list(dict.fromkeys(" ".join(line[:_LONGEST_LINE].split()) for line in output.splitlines()))


def _pieces(template: str) -> list[str]:
    """What stands between the masks of a template. The end of one that was cut may be half a word."""
    if len(template) >= _LONGEST_SIGNATURE:
        template = template.rpartition(" ")[0]
    pieces = [part.partition(">")[2] if ">" in part else part for part in template.split("<")]
    return [piece for piece in pieces if piece.strip()]


def _holds(line: str, pieces: list[str]) -> bool:
    """Whether the pieces stand in the line, in order."""
    at = 0
    for piece in pieces:
        found = line.find(piece, at)
        if found < 0:
            return False
        at = found + len(piece)
    return True
