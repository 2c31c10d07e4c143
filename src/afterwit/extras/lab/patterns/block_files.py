"""Our block of patterns in a file of people's, such as AGENTS.md: planned, so that it can be shown, and taken out.

Around the block nothing is touched. A block that somebody changed is refused. A file that nobody changed since is put
back byte for byte; from one that was changed, the block alone is taken.
"""

from collections.abc import Collection, Sequence
from pathlib import Path

from afterwit.connect.foreign_files import (
    FileRecord,
    ForeignFile,
    expanded,
    fingerprint,
    kept_copy,
    look,
    missing_folders,
    shortened,
)
from afterwit.edits.edits import UnreadableError
from afterwit.edits.own_text import MarkedBlock
from afterwit.extras.lab.skill_folders import SkillChange
from afterwit.model.errors import UsageError
from afterwit.redaction.shown import Shown
from afterwit.store.layout import Layout

NAME = "patterns"


class BlockFile:
    """One file, and what was written into it since there was last no block of ours."""

    def __init__(
        self, layout: Layout, user_home: Path, path: Path, earlier: Sequence[FileRecord], blocks: Collection[str]
    ) -> None:
        self._layout, self._home, self._path = layout, user_home, path
        self._earlier, self._blocks = earlier, blocks

    def written(self, text: Shown) -> SkillChange:
        """With this text as its block."""
        file, rest = self._without()
        edit = MarkedBlock(self._path, text, name=NAME)
        wanted = edit.added((rest or b"").decode()).encode()
        if file.content is not None and edit.text_in(file.content.decode()) == edit.text_in(wanted.decode()):
            wanted = file.content  # wherever people moved it
        made = self._made() if self._earlier else missing_folders(file.target)
        base = None if rest is None else fingerprint(rest)
        folders = tuple(shortened(folder, self._home) for folder in made)
        record = FileRecord(shortened(self._path, self._home), base, fingerprint(wanted), folders)
        return SkillChange(file, wanted, record, rest, made)

    def removed(self) -> SkillChange:
        """Without our block."""
        file, rest = self._without()
        return SkillChange(file, rest, FileRecord(shortened(self._path, self._home), None, ""), made=self._made())

    def is_changed(self) -> bool:
        """Whether somebody changed the block."""
        block = self._block(look(self._path))
        return block is not None and fingerprint(block.encode()) not in self._blocks

    def is_missing(self) -> bool:
        return self._block(look(self._path)) is None

    def _without(self) -> tuple[ForeignFile, bytes | None]:
        """The file, and what it is without our block; None: nothing."""
        file = look(self._path)
        block = self._block(file)
        if block is None:
            return file, file.content
        if fingerprint(block.encode()) not in self._blocks:
            raise UsageError(
                f"What Afterwit wrote into {self._path} was changed by hand, and is left alone. Take it out yourself,"
                " from the first mark to the last, then try again."
            )
        last = self._earlier[-1]
        before = None if last.base is None else kept_copy(self._layout.published_copies, last.base)
        if fingerprint(file.content or b"") == last.after:
            return file, before
        rest = MarkedBlock(self._path, "", name=NAME).removed(
            (file.content or b"").decode(), None if before is None else before.decode()
        )
        return file, rest.encode() if rest or before is not None else None

    def _block(self, file: ForeignFile) -> str | None:
        try:
            return MarkedBlock(self._path, "", name=NAME).text_in((file.content or b"").decode())
        except (UnreadableError, UnicodeDecodeError) as error:
            raise UsageError(f"{self._path}: {error}. Nothing was changed.") from error

    def _made(self) -> tuple[Path, ...]:
        return tuple(expanded(folder, self._home) for folder in self._earlier[0].made) if self._earlier else ()


def block_hash(path: Path, change: SkillChange) -> str:
    """The hash by which the block in a change is known again."""
    text = MarkedBlock(path, "", name=NAME).text_in((change.wanted or b"").decode())
    return fingerprint((text or "").encode())
