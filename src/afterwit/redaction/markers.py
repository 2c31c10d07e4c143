"""The fixed markers around every text of ours that an agent gets, and their removal when it comes back in a transcript.

The markers are plain words in brackets: comments would not survive text hygiene. Whatever stands between them is ours
and never harvested, whoever wrote the markers: a forged pair hides text from harvesting and gains nothing else. An
opening marker without its end swallows as much as our longest block could hold. Content goes through `defused` before
it is put between markers, so that it cannot close them.

A client puts a frame of its own around a note: a tag, a heading. `without_notes` takes both out, so that a log reads as
if nothing had been said: else the frame of a command's output is not recognised behind our note, and its failure is
read as a success. A refusal of ours stays: that the call did not run is what happened, and `is_refusal` tells it from
every other end of a call. Standard library only, so that a hook can import it.

The marks that stand for what was taken out, `‹aws-key:3f9c2a›`, and their putting into UTF-8 text.

A placeholder says the type of the value and, by a keyed hash, which value it was: equal secrets stay equal on one
machine, and nobody without the key can check a guess. Ids and content hashes must agree between machines, so they see
the text through `unkeyed`. Overlapping places become one, under the type of the one that begins first and reaches
farthest, so that nothing of either survives. Cuts fall between characters. A place that holds placeholders and little
else is left as it is, which makes a second redaction change nothing.
"""

import functools
import hmac
import re
from collections.abc import Callable, Iterable
from typing import NamedTuple

from afterwit.model.text import regex

OPENING = "[afterwit notes from past sessions]"
CLOSING = "[end of afterwit notes]"
READING = "[afterwit asks a model to read a session]"
LONGEST_BLOCK = 12_000  # characters, above the largest block that is ever given to an agent

AGAIN = "call the same command again to run it as it is"  # stands in every refusal, and in nothing else that we say
STRICT = "calling it again does not help"  # the same, of a check that lets nothing pass
_TAG = r"<([A-Za-z][\w:.-]{0,80})(?:\s[^<>]{0,500})?>\s*\Z"  # compiled when it is needed, for hooks' sake
_HEADING = (
    r"(?:\w{1,40}(?::[\w.:-]{1,100})? hook (?:additional context|success):"
    r"|(?:Tool \"[^\"\n]{0,100}\" \w{1,20}\. )?Additional (?:guidance|context) from \w{1,40} hooks?:)\s*\Z"
)
_LONGEST_FRAME = 700  # characters before a block in which its frame is looked for
_LONGEST_HEAD = 200  # characters of a client before the words of a refusal
_MARKER = regex(r"(?i)\[\s*(?:(?P<opening>afterwit\s+notes\s+from\s+past\s+sessions)|end\s+of\s+afterwit\s+notes)\s*\]")
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
    blocks = [block for block in blocks_in(text) if with_refusals or not _refuses(text[slice(*block)])]
    pieces: list[str] = []
    at = 0
    for begin, end in blocks:
        if not pieces or text[at:begin].strip():  # blocks that follow one another share a frame
            pieces.append(text[at:begin])
        at = end
    pieces.append(text[at:])
    return _join(pieces)


def is_refusal(text: str) -> bool:
    """Whether this result of a call says that we refused it."""
    if not is_own(text[: _LONGEST_HEAD + len(OPENING)]):
        return False
    begin, end = blocks_in(text)[0]
    return begin <= _LONGEST_HEAD and _refuses(text[begin:end])


def _refuses(block: str) -> bool:
    return AGAIN in block or STRICT in block


def _join(pieces: list[str]) -> str:
    """What stood between blocks, without the frames that are empty now."""
    kept: list[str] = []
    before, *others = pieces
    for after in others:
        before, after = _strip_frame(before, after)
        if before.strip():
            kept.append(before)
        before = after if kept else after.lstrip()
    if before.strip():
        return "".join((*kept, before))
    return "".join(kept).rstrip()


def _strip_frame(before: str, after: str) -> tuple[str, str]:
    """What stands before and behind a block, without the tags and the headings that a client puts around it."""
    while True:
        if heading := re.search(_HEADING, before[-_LONGEST_FRAME:]):
            before = before[: len(before) - len(heading[0])]
        tag = re.search(_TAG, before[-_LONGEST_FRAME:])
        rest = after.lstrip()
        if tag is None or not rest.startswith(closing := f"</{tag[1]}>"):
            return before, after
        before, after = before[: len(before) - len(tag[0])], rest[len(closing) :]


SUFFIX_LENGTH = 6
PLACEHOLDER = regex(r"‹[a-z][a-z0-9-]*:[0-9a-f]{4,16}›")
PLACEHOLDER_BYTES = regex(PLACEHOLDER.pattern.encode())
_KEYED = regex(r"‹([a-z][a-z0-9-]*):[0-9a-f]{4,16}›")
_LEAST_REST = 6


class SecretSpan(NamedTuple):
    start: int
    end: int
    kind: str


def united(spans: Iterable[SecretSpan], data: bytes) -> list[SecretSpan]:
    """Disjoint places in order. Of equal places the first given wins."""
    merged: list[SecretSpan] = []
    for span in sorted((_on_characters(span, data) for span in spans), key=lambda span: (span.start, -span.end)):
        if merged and span.start < merged[-1].end:
            last = merged[-1]
            if span.end > last.end:
                merged[-1] = SecretSpan(last.start, span.end, last.kind)
        else:
            merged.append(span)
    return [span for span in merged if not _is_done(span, data)]


def replaced(data: bytes, spans: Iterable[SecretSpan], mark: Callable[[str, bytes], bytes]) -> bytes:
    """The text with every place put through `mark(kind, value)`."""
    pieces: list[bytes] = []
    at = 0
    for start, end, kind in spans:
        pieces += (data[at:start], mark(kind, data[start:end]))
        at = end
    pieces.append(data[at:])
    return b"".join(pieces)


def _is_done(span: SecretSpan, data: bytes) -> bool:
    value = data[span.start : span.end]
    if b"\xe2\x80\xb9" not in value and b"\xe2\x80\xba" not in value:
        return False
    return len(PLACEHOLDER_BYTES.sub(b"", value)) < _LEAST_REST or _cuts_placeholder(span, data)


def _cuts_placeholder(span: SecretSpan, data: bytes) -> bool:
    window_start = max(0, span.start - 80)
    window = data[window_start : span.end + 80]
    for match in PLACEHOLDER_BYTES.finditer(window):
        start, end = match.start() + window_start, match.end() + window_start
        if start < span.start < end or start < span.end < end:
            return True
    return False


def _on_characters(span: SecretSpan, data: bytes) -> SecretSpan:
    start, end, kind = span
    while start > 0 and data[start] & 0xC0 == 0x80:
        start -= 1
    while end < len(data) and data[end] & 0xC0 == 0x80:
        end += 1
    return span if start == span.start and end == span.end else SecretSpan(start, end, kind)


@functools.lru_cache(maxsize=4096)
def placeholder(kind: str, value: str | bytes, key: bytes) -> str:
    """The mark for this value; a text and its UTF-8 bytes get the same one."""
    if isinstance(value, str):
        value = value.encode("utf-8", "surrogatepass")
    return f"‹{kind}:{hmac.digest(key, value, 'sha256').hex()[:SUFFIX_LENGTH]}›"


def unkeyed(text: str) -> str:
    """The same text with the machine's own suffixes removed: `‹aws-key:3f9c2a›` becomes `‹aws-key›`."""
    return _KEYED.sub(r"‹\1›", text) if "‹" in text else text
