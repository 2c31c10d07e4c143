"""Where the parts of a store lie, and who may read them.

A store is one folder: the database (derived, can be rebuilt), the journal (cannot), the archive, the spool, the
redaction key and the lease. Folders are 0700 and files 0600. Names that come from logs never become file names here.
"""

import secrets
from dataclasses import dataclass
from pathlib import Path

from afterwit.model.errors import StoreError
from afterwit.store.atomic import create_file
from afterwit.store.regular_files import read_regular

KEY_BYTES = 32


class _Below:
    """The path of a part of a store."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, layout: "Layout", owner: type) -> Path:
        return layout.root / self._name


@dataclass(frozen=True)
class Layout:
    """The paths of one store."""

    root: Path

    database = _Below("afterwit.db")
    journal = _Below("journal.db")
    journal_heads = _Below("journal.heads")  # the last entry of each chain of the journal, as it was applied
    archive = _Below("archive")
    spool = _Below("spool")
    backups = _Below("backups")
    reading = _Below("reading")  # where agents work that read sessions for us; they need not be learned from
    trees = _Below("trees")  # the words of repositories' files, one file each
    deck = _Below("deck.db")  # what hooks read instead of the database,
    deck_parts = _Below("deck")  # and what they read of each repository, one file each
    templates = _Below("templates")  # tool calls that went well, one file for each session they come from
    patterns = _Below("patterns")  # the catalog, unless the settings name another folder
    shares = _Below("shares")  # clones of repositories that notes are shared through
    metrics = _Below("metrics")  # the report: a page, the figures, and their history
    lease = _Below("learn.lock")
    share_lease = _Below("share.lock")  # of the one git at a time that works in clones of shares
    hub_lease = _Below("hub.lock")  # of the one sync at a time, which may wait for a server
    last_backup = _Below("backups/last-backup.json")  # when and where the last one was made
    connect_copies = _Below("backups/connect")  # of agents' files, as they were before ours came in
    published_copies = _Below("backups/published")  # of files that others had where we published something
    replacing = _Below("replacing.json")  # there while other parts are put in the place of these
    key = _Below("redaction.key")

    def exists(self) -> bool:
        return self.database.exists() or self.journal.exists() or self.has_archive()

    def has_archive(self) -> bool:
        """Whether anything was ever archived here."""
        return any(self.archive.glob("*/*"))

    def refuse_half_replaced(self) -> None:
        if self.replacing.exists():
            raise StoreError(
                f"A restore of {self.root} was stopped half-way. `afterwit store backup restore --finish` ends it."
            )

    def create(self) -> None:
        """Makes the folders, private to the user. A root that is a symlink is refused."""
        if self.root.is_symlink():
            raise StoreError(f"{self.root} is a symbolic link. Point AFTERWIT_HOME at the real folder.")
        try:
            for folder in (self.root, self.archive, self.spool, self.backups):
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(f"Cannot create the store at {self.root}: {error.strerror or error}.") from error


def redaction_key(layout: Layout) -> bytes:
    """The key of the placeholders' suffixes: made once, never leaves the machine."""
    try:
        key = read_regular(layout.key)
    except FileNotFoundError:
        key = secrets.token_bytes(KEY_BYTES)
        if not create_file(layout.key, key):
            key = read_regular(layout.key)
    if len(key) != KEY_BYTES:
        raise StoreError(
            f"{layout.key} is damaged: {len(key)} bytes instead of {KEY_BYTES}. Restore it from a backup; else"
            " remove it and run `afterwit store rebuild`, which redacts all that is archived with a new one."
        )
    return key
