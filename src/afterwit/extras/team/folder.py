"""The folder of a share: one file of lines for each note, a page for people, and what git has to know.

```
.afterwit/
  share.jsonl       which repositories its notes are about; none: the one that it lies in
  notes/<id>.jsonl  what everybody said about one note, a line each
  index.md          the notes, for people; made anew by every push
  .gitattributes    git unites both sides of a merge, line by line
```

Files stay valid without that attribute, too: marks of a conflict are passed over, and the next push writes the file
anew. A line that cannot be taken is named and left where it is, unless it is no JSON at all; so is a file that is too
large, or none, and what is known of its note stays. Links in the way to the files are refused, and names of files are
ids and nothing else.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import msgspec

from afterwit.extras.team.records import SharedLine, SharedNote, Value, decode, encode, line_in, note_of
from afterwit.knowledge.documents import inline
from afterwit.model.errors import UsageError
from afterwit.model.text import regex
from afterwit.store.atomic import READABLE, replace_file, step
from afterwit.store.regular_files import read_regular

FOLDER = ".afterwit"
SHARE_FILE = "share.jsonl"
NOTES = "notes"
INDEX = "index.md"
ATTRIBUTES = ".gitattributes"
VERSION = 1
_ATTRIBUTES = b"*.jsonl text eol=lf merge=union\nindex.md text eol=lf merge=union\n"
_ID = regex(r"[0-9a-f]{12}\Z")
_CONFLICT = regex(rb"(?:<{7}|\|{7}|={7}|>{7})(?: |\Z)")
_MOST_NOTES = 20_000
_MOST_LINES = 2_000
_MOST_BYTES = 1_000_000


class AboutLine(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One line of `share.jsonl`."""

    version: int = 0
    repo: str = ""


class ShareFile(NamedTuple):
    """What `share.jsonl` holds."""

    repos: frozenset[str] = frozenset()

    def is_about(self, repo: str) -> bool:
        return not self.repos or repo in self.repos

    @property
    def content(self) -> bytes:
        lines = (AboutLine(version=VERSION), *(AboutLine(repo=repo) for repo in sorted(self.repos)))
        return b"".join(msgspec.json.encode(line) + b"\n" for line in lines)


class BadLine(msgspec.Struct, frozen=True, kw_only=True):
    file: str
    line: int
    reason: str


class NoteFile(msgspec.Struct, kw_only=True):
    """The lines of one file, and those that this version cannot take."""

    lines: tuple[SharedLine, ...] = ()
    others: tuple[bytes, ...] = ()  # JSON of another version, kept as it is


class ShareFolder:
    """A share, read whole."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.bad: list[BadLine] = []
        self.closed: set[str] = set()  # notes whose file cannot be read, and is left alone
        self.about = self._about()
        self.files = self._files()

    def notes(self, now_ms: int) -> dict[str, SharedNote]:
        notes = {own: note_of(own, file.lines, now_ms) for own, file in self.files.items()}
        return {own: note for own, note in sorted(notes.items()) if note is not None}

    def put(self, own: str, lines: Iterable[SharedLine]) -> None:
        """Gives a note these lines, unless its file is to be left alone; nothing is written before `write`."""
        if own in self.closed:
            return
        others = self.files[own].others if own in self.files else ()
        self.files[own] = NoteFile(lines=tuple(lines), others=others)

    def write(self, now_ms: int) -> list[str]:
        """Writes what changed; the names of the files that did."""
        written = []
        for own, file in sorted(self.files.items()):
            content = encode(file.lines) + b"".join(line + b"\n" for line in sorted(set(file.others)))
            written += self._put(f"{NOTES}/{own}.jsonl", content)
        page = "\n".join([*_page(self.notes(now_ms)), ""])
        return [*written, *self._put(INDEX, page.encode()), *self._put(ATTRIBUTES, _ATTRIBUTES)]

    def _put(self, name: str, content: bytes) -> list[str]:
        path = self.root / name
        if path.is_symlink():
            raise UsageError(f"{path} is a symbolic link and is left alone. Remove it, then try again.")
        if not content:
            if not path.exists():
                return []
            path.unlink()
            step("a file of a share is removed")
            return [name]
        path.parent.mkdir(exist_ok=True)
        if path.is_file() and read_regular(path) == content:
            return []
        replace_file(path, content, READABLE)
        step("a file of a share is written")
        return [name]

    def _about(self) -> ShareFile:
        path = self.root / SHARE_FILE
        for part in (self.root, self.root / NOTES, path):
            if part.is_symlink():
                raise UsageError(f"{part} is a symbolic link. A share lies in plain folders and files.")
        try:
            content = read_regular(path, _MOST_BYTES)
        except FileNotFoundError:
            raise UsageError(f"There is no share in {self.root.parent}. `afterwit share init` makes one.") from None
        read = self._read(SHARE_FILE, content.splitlines(), lambda row: decode(row, AboutLine))
        lines = [line for _, line in read if line is not None]
        if not any(line.version for line in lines):
            raise UsageError(f"{path} cannot be read: no line says its version. Restore it with git, then try again.")
        if any(line.version > VERSION for line in lines):
            raise UsageError(f"{path} was written by a newer version. Upgrade afterwit.")
        return ShareFile(frozenset(line.repo for line in lines if line.repo))

    def _files(self) -> dict[str, NoteFile]:
        folder = self.root / NOTES
        names = sorted(path.name for path in folder.glob("*.jsonl")) if folder.is_dir() else []
        if len(names) > _MOST_NOTES:
            raise UsageError(f"{folder} holds more than {_MOST_NOTES} notes. Share fewer of them.")
        read = {name.removesuffix(".jsonl"): self._file(folder / name) for name in names if self._is_note(name)}
        self.closed = {own for own, file in read.items() if file is None}
        return {own: file for own, file in read.items() if file is not None}

    def _is_note(self, name: str) -> bool:
        if _ID.match(name.removesuffix(".jsonl")):
            return True
        self.bad.append(BadLine(file=f"{NOTES}/{name[:80]}", line=0, reason="its name is not the id of a note"))
        return False

    def _file(self, path: Path) -> NoteFile | None:
        """None where it cannot be read."""
        name = f"{NOTES}/{path.name}"
        if path.is_symlink() or not path.is_file():
            self.bad.append(BadLine(file=name, line=0, reason="it is no plain file"))
            return None
        content = read_regular(path, _MOST_BYTES + 1)
        rows = content.splitlines()
        if len(content) > _MOST_BYTES or len(rows) > _MOST_LINES:
            self.bad.append(BadLine(file=name, line=0, reason="it is too large for a note"))
            return None
        read = list(self._read(name, rows, line_in))
        return NoteFile(
            lines=tuple(line for _, line in read if line is not None),
            others=tuple(row for row, line in read if line is None and _is_json(row)),
        )

    def _read(
        self, name: str, rows: Iterable[bytes], read: Callable[[bytes], Value]
    ) -> Iterator[tuple[bytes, Value | None]]:
        """The lines of a file; None, and a word about it, for one that cannot be taken."""
        for number, row in enumerate(rows, start=1):
            if not row.strip() or _CONFLICT.match(row):
                continue
            try:
                yield row, read(row)
            except ValueError as error:  # msgspec's own errors are ValueErrors too
                self.bad.append(BadLine(file=name, line=number, reason=str(error)[:200]))
                yield row, None


def create(root: Path, about: ShareFile) -> list[str]:
    """Makes a share; what is there already stays."""
    if root.is_symlink() or (root.exists() and not root.is_dir()):
        raise UsageError(f"{root} is no plain folder. Move it away, then try again.")
    root.mkdir(exist_ok=True)
    if (root / SHARE_FILE).exists():
        raise UsageError(f"There is a share in {root.parent} already. `afterwit share status` looks at it.")
    replace_file(root / SHARE_FILE, about.content, READABLE)
    return [SHARE_FILE, *ShareFolder(root).write(0)]


def _is_json(row: bytes) -> bool:
    try:
        return isinstance(decode(row, object), dict)
    except ValueError:
        return False


def _page(notes: Mapping[str, SharedNote]) -> list[str]:
    lines = ["# Shared notes", "", "Written by `afterwit share push`. What counts are the files in `notes/`.", ""]
    for own, note in sorted(notes.items()):
        if note.rejected_by:
            lines.append(f"- `{own}` was rejected by {inline(note.rejected_by)}.")
        else:
            names = ", ".join(map(inline, note.approved_by))
            stands = f"approved by {names}" if names else f"from {inline(note.worded_by)}, approved by nobody"
            lines.append(f"- `{own}` {inline(note.words.fact)} *({stands})*")
    return lines
