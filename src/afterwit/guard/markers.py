"""The fixed markers around every text of ours that an agent gets, and their removal when it comes back in a transcript.

The markers are plain words in brackets: comments would not survive text hygiene. Whatever stands between them is ours
and never harvested, whoever wrote the markers: a forged pair hides text from harvesting and gains nothing else. An
opening marker without its end swallows as much as our longest block could hold. Content goes through `defused` before
it is put between markers, so that it cannot close them. Standard library only, so that a hook can import it.
"""

import re

OPENING = "[afterwit notes from past sessions]"
CLOSING = "[end of afterwit notes]"
LONGEST_BLOCK = 12_000  # characters, above the largest block that is ever given to an agent

_MARKER = re.compile(
    r"\[\s*(?:(?P<opening>afterwit\s+notes\s+from\s+past\s+sessions)|end\s+of\s+afterwit\s+notes)\s*\]", re.IGNORECASE
)
_DEFUSED = {"[": "(", "]": ")"}


def marked(text: str) -> str:
    """A block of ours, as it is given to an agent."""
    return f"{OPENING}\n{defused(text)}\n{CLOSING}"


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
        text = _MARKER.sub(lambda found: "".join(_DEFUSED.get(one, one) for one in found[0]), text)
    return text


def blocks_in(text: str) -> list[tuple[int, int]]:
    """Where blocks of ours and stray markers begin and end, in order."""
    found_at: list[tuple[int, int]] = []
    depth = opened = 0
    end = 0
    for found in _MARKER.finditer(text):
        end = found.end()
        if found["opening"]:
            opened = found.start() if depth == 0 else opened
            depth += 1
        elif depth > 1:
            depth -= 1
        else:
            found_at.append((opened if depth else found.start(), end))
            depth = 0
    if depth:
        found_at.append((opened, max(end, min(len(text), opened + LONGEST_BLOCK))))
    return found_at


def _without_blocks(text: str) -> str:
    kept: list[str] = []
    at = 0
    for begin, end in blocks_in(text):
        kept.append(text[at:begin])
        at = end
    return "".join((*kept, text[at:]))
