"""What we told an agent, taken out of what its log says: our blocks, and the frames that clients put around them.

A client appends a note to the output of a command, puts it before a prompt, or makes a message of it; each has its own
tag or heading for that. Both go, so that a log reads as if nothing had been said: else the frame of a command's output
is not recognised behind our note, and its failure is read as a success. A refusal of ours stays: that the call did not
run is what happened, and `is_refusal` tells it from every other end of a call.
"""

import re

from afterwit.guard.markers import OPENING, blocks_in, is_own

AGAIN = "call the same command again to run it as it is"  # stands in every refusal, and in nothing else that we say
_TAG = re.compile(r"<([A-Za-z][\w:.-]{0,80})(?:\s[^<>]{0,500})?>\s*\Z")
_HEADING = re.compile(
    r"(?:\w{1,40}(?::[\w.:-]{1,100})? hook (?:additional context|success):"
    r"|(?:Tool \"[^\"\n]{0,100}\" \w{1,20}\. )?Additional (?:guidance|context) from \w{1,40} hooks?:)\s*\Z"
)
_LONGEST_FRAME = 700  # characters before a block in which its frame is looked for
_LONGEST_HEAD = 200  # characters of a client before the words of a refusal


def without_notes(text: str, *, with_refusals: bool = False) -> str:
    """The text without our blocks and what clients put around them; refusals stay, unless they are to go too."""
    if OPENING not in text:
        return text
    blocks = [block for block in blocks_in(text) if with_refusals or AGAIN not in text[slice(*block)]]
    pieces: list[str] = []
    at = 0
    for begin, end in blocks:
        if not pieces or text[at:begin].strip():  # blocks that follow one another share a frame
            pieces.append(text[at:begin])
        at = end
    pieces.append(text[at:])
    return _joined(pieces)


def is_refusal(text: str) -> bool:
    """Whether this result of a call says that we refused it."""
    if not is_own(text[: _LONGEST_HEAD + len(OPENING)]):
        return False
    begin, end = blocks_in(text)[0]
    return begin <= _LONGEST_HEAD and AGAIN in text[begin:end]


def _joined(pieces: list[str]) -> str:
    """What stood between blocks, without the frames that are empty now."""
    kept: list[str] = []
    before, *others = pieces
    for after in others:
        before, after = _unframed(before, after)
        if before.strip():
            kept.append(before)
        before = after if kept else after.lstrip()
    if before.strip():
        return "".join((*kept, before))
    return "".join(kept).rstrip()


def _unframed(before: str, after: str) -> tuple[str, str]:
    """What stands before and behind a block, without the tags and the headings that a client puts around it."""
    while True:
        if heading := _HEADING.search(before[-_LONGEST_FRAME:]):
            before = before[: len(before) - len(heading[0])]
        tag = _TAG.search(before[-_LONGEST_FRAME:])
        rest = after.lstrip()
        if tag is None or not rest.startswith(closing := f"</{tag[1]}>"):
            return before, after
        before, after = before[: len(before) - len(tag[0])], rest[len(closing) :]
