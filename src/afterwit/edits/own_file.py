"""A file that is ours from the first to the last byte: a plugin, an extension, a script. Pure."""

from pathlib import PurePath
from typing import NamedTuple

from afterwit.edits.edits import Presence, UnreadableError
from afterwit.edits.ours import mentions_us


class OwnFile(NamedTuple):
    """Such a file. One of the same name that somebody else wrote is left alone, and is an error."""

    path: PurePath
    content: str
    is_executable: bool = False

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
