"""What no person would ever approve, so that nobody is asked about it: it stays out like what the gate refuses.

Unlike the gate it asks how often something was seen. A rule that failed in one session is the work of that session, and
a name that an agent's tool did not know once is in the error itself: they come back by themselves with the second
session. Halves of command lines and names, changes that leave nothing but a program, and a user's words that point at
something never say anything. What answers a failure with something to do instead is not touched, nor is what a person
has approved. Pure.
"""

import re

from afterwit.actions.shell.command_changes import ARROW
from afterwit.harvest.stated.statements import salient, words_stated
from afterwit.knowledge.gate import Rejection
from afterwit.model.knowledge import Category, Channel, Draft

_MECHANICAL = (Channel.OUTCOME, Channel.TOOL)
_PIECE = re.compile(r"`([^`]{3,})`")  # shorter ones are signs that are spoken of
_CUT_OFF = re.compile(
    r"(?:[|&;({,:]|(?:^|\s)\\|;\s*(?:then|do|else))$"  # something has to follow
    r"|^(?:[|&;)},]|(?:then|do|done|else|fi|esac)(?:[\s;]|$))"  # something has to come before
    r"|<<-?\s*['\"]?\w+['\"]?$"
)
_PAIRS = (("(", ")"), ("{", "}"))
_QUOTED = re.compile(r"\\.|'[^']*'|\"(?:\\.|[^\"\\])*\"")
_POINTS = re.compile(
    r"\bthe (?:former|latter)\b"
    r"|\b(?:do|use|take|keep|like|with|for|of) (?:this|that|these|those)(?: (?:instead|too|again|please|one|ones))?"
    r"(?=[.!?]*$|[,;])"
    r"|\b(?:the )?(?:first|second|third|last|other|former|latter) (?:one|two|ones)\b"
    r"|\b(?:number|option|choice|variant|answer) (?:\d{1,2}|[a-d])\b",
    re.IGNORECASE,
)


def needless(draft: Draft) -> Rejection | None:
    """Why nobody is to be asked about a draft that the gate lets pass, or None."""
    said = words_stated(draft.sentence)
    if said != draft.sentence:
        return _about_words(said)
    if draft.channel not in _MECHANICAL:
        return None
    if _has_halves(draft) or _leaves_a_program(draft.advice):
        return Rejection.FRAGMENT
    return Rejection.SEEN_ONCE if _seen_in(draft) <= 1 and _adds_nothing(draft) else None


def _about_words(said: str) -> Rejection | None:
    if _POINTS.search(said):
        return Rejection.MOMENTARY
    return None if salient(said) else Rejection.SAYS_NOTHING


def _seen_in(draft: Draft) -> int:
    """In how many independent sessions."""
    return len({piece.session.story for piece in draft.evidence if not piece.is_against})


def _adds_nothing(draft: Draft) -> bool:
    """Whether it says no more than the report or the error that it was seen by."""
    if draft.category is Category.QUESTION or not draft.triggers:
        return False
    if all(trigger.rule for trigger in draft.triggers):
        return True
    is_name = any(trigger.tool and trigger.words for trigger in draft.triggers)
    return is_name and not draft.advice


def _has_halves(draft: Draft) -> bool:
    return any(map(_is_half, (*_PIECE.findall(draft.sentence), *filter(None, draft.advice.split(ARROW)))))


def _is_half(piece: str) -> bool:
    """Whether a command line or a name was cut in two."""
    bare = _QUOTED.sub("", piece.strip())
    if _CUT_OFF.search(bare) or "'" in bare or '"' in bare:
        return True
    return any(bare.count(opening) != bare.count(closing) for opening, closing in _PAIRS)


def _leaves_a_program(advice: str) -> bool:
    """Whether a change takes everything from a command but the program: that the rest was wrong says nothing."""
    before, arrow, after = advice.partition(ARROW)
    words = before.split()
    return bool(arrow) and len(words) > 1 and after.split() == words[:1]
