"""The fixed markers around every text of ours that an agent gets, and their removal when it comes back in a transcript.

The markers are plain words in brackets: comments would not survive text hygiene. Whatever stands between them is ours
and never harvested, whoever wrote the markers: a forged pair hides text from harvesting and gains nothing else. An
opening marker without its end swallows as much as our longest block could hold. Content goes through `defused` before
it is put between markers, so that it cannot close them.

A client puts a frame of its own around a note: a tag, a heading. `without_notes` takes both out, so that a log reads as
if nothing had been said: else the frame of a command's output is not recognised behind our note, and its failure is
read as a success. A refusal of ours stays: that the call did not run is what happened, and `is_refusal` tells it from
every other end of a call. Standard library only, so that a hook can import it.
"""

import re

OPENING = "[afterwit notes from past sessions]"
CLOSING = "[end of afterwit notes]"
READING = "[afterwit asks a model to read a session]"
LONGEST_BLOCK = 12_000  # characters, above the largest block that is ever given to an agent

AGAIN = "call the same command again to run it as it is"  # stands in every refusal, and in nothing else that we say
_TAG = r"<([A-Za-z][\w:.-]{0,80})(?:\s[^<>]{0,500})?>\s*\Z"  # compiled when it is needed, for hooks' sake
_HEADING = (
    r"(?:\w{1,40}(?::[\w.:-]{1,100})? hook (?:additional context|success):"
    r"|(?:Tool \"[^\"\n]{0,100}\" \w{1,20}\. )?Additional (?:guidance|context) from \w{1,40} hooks?:)\s*\Z"
)
_LONGEST_FRAME = 700  # characters before a block in which its frame is looked for
_LONGEST_HEAD = 200  # characters of a client before the words of a refusal
_MARKER = re.compile(
    r"\[\s*(?:(?P<opening>afterwit\s+notes\s+from\s+past\s+sessions)|end\s+of\s+afterwit\s+notes)\s*\]", re.IGNORECASE
)
_DEFUSED = {"[": "(", "]": ")"}


def marked(text: str) -> str:
    """A block of ours, as it is given to an agent."""
    return f"{OPENING}\n{defused(text)}\n{CLOSING}"


def reading_request(text: str) -> str:
    """What an agent is given to read for us, so that its own log of that is known for what it is."""
    return f"{READING}\n{text}"


def is_reading_request(text: str) -> bool:
    """Whether a session begins with a text of ours that it was to read."""
    return text.lstrip().startswith(READING)


def is_own(text: str) -> bool:
    """Whether a text carries a marker of ours."""
    return _MARKER.search(text) is not None


def without_own(text: str) -> str:
    """The text without blocks of ours and without stray markers."""
    while is_own(text):
        text = _without_blocks(text)
    return text


def defused(text: str) -> str:
    """The text with every marker in it made harmless, still readable."""
    while is_own(text):
        text = _MARKER.sub(lambda marker: "".join(_DEFUSED.get(character, character) for character in marker[0]), text)
    return text


def blocks_in(text: str) -> list[tuple[int, int]]:
    """Where blocks of ours and stray markers begin and end, in order."""
    blocks: list[tuple[int, int]] = []
    depth = opened = 0
    end = 0
    for marker in _MARKER.finditer(text):
        end = marker.end()
        if marker["opening"]:
            opened = marker.start() if depth == 0 else opened
            depth += 1
        elif depth > 1:
            depth -= 1
        else:
            blocks.append((opened if depth else marker.start(), end))
            depth = 0
    if depth:
        blocks.append((opened, max(end, min(len(text), opened + LONGEST_BLOCK))))
    return blocks


def _without_blocks(text: str) -> str:
    kept: list[str] = []
    at = 0
    for begin, end in blocks_in(text):
        kept.append(text[at:begin])
        at = end
    return "".join((*kept, text[at:]))


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
        if heading := re.search(_HEADING, before[-_LONGEST_FRAME:]):
            before = before[: len(before) - len(heading[0])]
        tag = re.search(_TAG, before[-_LONGEST_FRAME:])
        rest = after.lstrip()
        if tag is None or not rest.startswith(closing := f"</{tag[1]}>"):
            return before, after
        before, after = before[: len(before) - len(tag[0])], rest[len(closing) :]
