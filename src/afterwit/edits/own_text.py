"""Our text in a file: a marked block among what people write, as in AGENTS.md, or a whole file that is ours.

The block stands at the end when it is new and stays where people move it. Between its two marks everything is ours and
is replaced; around them nothing is touched. Marks inside our own text are broken, so that they cannot end the block. A
file that is ours from the first to the last byte is a plugin, an extension or a script. Pure.
"""

import re
from pathlib import PurePath
from typing import NamedTuple

from afterwit.edits.edits import Part, Presence, UnreadableError
from afterwit.edits.ours import mentions_us
from afterwit.model.text import regex


class OwnFile(NamedTuple):
    """Such a file. One of the same name that somebody else wrote is left alone, and is an error."""

    path: PurePath
    content: str
    is_executable: bool = False

    @property
    def parts(self) -> tuple[Part, ...]:
        return (Part.FILE,)

    def presence(self, text: str) -> Presence:
        if text == self.content:
            return Presence.CURRENT
        return Presence.OUTDATED if mentions_us(text) else Presence.ABSENT

    def added(self, text: str) -> str:
        if text.strip() and self.presence(text) is Presence.ABSENT:
            raise UnreadableError("it is there and was not written by afterwit: move it away, then try again")
        return self.content

    def removed(self, text: str, before: str | None = None) -> str:
        if self.presence(text) is Presence.ABSENT:
            return text
        return before or ""


BEGIN = "<!-- afterwit:begin Written by `afterwit connect`; what you change in here is lost. -->"
END = "<!-- afterwit:end -->"
_WRITTEN_BY = {
    "patterns": "Written by `afterwit patterns publish`; `afterwit patterns unpublish` removes it.",
    "share": "Written by `afterwit share push`; `afterwit share push --no-agents-md` removes it.",
}

_MARK = regex(r"<!--(?=\s*afterwit:)")


class _Cut(NamedTuple):
    before: str
    block: str
    after: str


class MarkedBlock(NamedTuple):
    """Our block in one file. One with a name stands beside that of `connect`, with marks of its own."""

    path: PurePath
    text: str
    is_executable: bool = False
    name: str = ""

    @property
    def parts(self) -> tuple[Part, ...]:
        return (Part.BLOCK,)

    def presence(self, text: str) -> Presence:
        cut = _cut(text, self.name)
        if cut is None:
            return Presence.ABSENT
        return Presence.CURRENT if cut.block == self._block(text) else Presence.OUTDATED

    def added(self, text: str) -> str:
        cut = _cut(text, self.name)
        if cut is not None:
            return cut.before + self._block(text) + cut.after
        newline = _newline(text)
        gap = "" if not text else newline if text.endswith("\n") else newline * 2
        return text + gap + self._block(text)

    def removed(self, text: str, before: str | None = None) -> str:
        cut = _cut(text, self.name)
        if cut is None:
            return text
        if cut.after.strip():
            return cut.before + cut.after
        rest = cut.before.rstrip("\r\n")
        if before is not None and rest == before.rstrip("\r\n"):
            return before
        return rest + _newline(text) if rest else ""

    def text_in(self, text: str) -> str | None:
        """The block as the file holds it, with its marks; None where there is none. Ends of lines are those of Unix."""
        cut = _cut(text, self.name)
        return None if cut is None else cut.block.replace("\r\n", "\n").rstrip("\n") + "\n"

    def _block(self, text: str) -> str:
        inner = _MARK.sub("<!- -", self.text.strip("\n"))
        begin, end = _marks(self.name)
        return f"{begin}\n{inner}\n{end}\n".replace("\n", _newline(text))


def _marks(name: str) -> tuple[str, str]:
    if not name:
        return BEGIN, END
    return f"<!-- afterwit:{name}-begin {_WRITTEN_BY[name]} -->", f"<!-- afterwit:{name}-end -->"


def _cut(text: str, name: str) -> _Cut | None:
    prefix = f"<!-- afterwit:{name}-" if name else "<!-- afterwit:"
    opening = re.search(rf"^{prefix}begin\b[^\n]*-->[ \t]*\r?\n", text, re.MULTILINE)
    closing = re.search(rf"^{prefix}end -->[ \t]*(?:\r?\n|\Z)", text, re.MULTILINE)
    if opening is None and closing is None:
        return None
    if opening is None or closing is None or closing.start() < opening.end():
        raise UnreadableError("one of the two marks of our block is missing: remove what is left of it")
    return _Cut(text[: opening.start()], text[opening.start() : closing.end()], text[closing.end() :])


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"
