"""Writes the part of a deck for one repository: its lines, and what a first prompt asks there.

A part is never changed. The next one begins as a copy of it, in which what changed is written anew; what was taken out
is overwritten. Its name ends with its fingerprint, so that nothing else can be taken for it.
"""

import hashlib
import shutil
from collections.abc import Sequence
from contextlib import closing
from importlib import resources
from pathlib import Path
from typing import NamedTuple

import apsw

from afterwit.recall.deck.dealt import DealtPart
from afterwit.recall.deck.firing_lines import FiringLine
from afterwit.recall.deck.line_tables import Redact, put_lines, put_notes
from afterwit.recall.deck.prompt_tables import PromptSource, update_prompt_tables
from afterwit.recall.deck.reader import REPO, VERSION
from afterwit.store.atomic import PRIVATE, step, sync
from afterwit.store.database import transaction
from afterwit.store.marks import fingerprint

_NEW = "new.db"  # under which a part is written
_PRAGMAS = {"journal_mode": "OFF", "synchronous": "OFF", "secure_delete": "ON"}


class PartContent(NamedTuple):
    """What is to change in a part. None: it stays as it is."""

    repo: str
    lines: Sequence[FiringLine] | None = None
    prompts: PromptSource | None = None


def write_part(folder: Path, content: PartContent, redact: Redact, earlier: DealtPart | None) -> DealtPart:
    """Puts a part into this folder, beside the earlier one."""
    beside = folder / _NEW
    beside.unlink(missing_ok=True)
    beside.touch(PRIVATE)
    if earlier is not None:
        shutil.copyfile(folder / earlier.file, beside)
    with closing(apsw.Connection(str(beside))) as db:
        for name, value in _PRAGMAS.items():
            db.pragma(name, value)
        with transaction(db):
            _fill(db, content, redact, is_new=earlier is None)
    sync(beside)
    name = hashlib.blake2b(content.repo.encode(), digest_size=12).hexdigest()
    path = folder / f"{name}-{fingerprint(beside)}.db"
    beside.replace(path)
    step("a part of the deck is written")
    mark = content.prompts.mark if content.prompts is not None else earlier.prompts if earlier is not None else ""
    return DealtPart(content.repo, path.name, prompts=mark).seen_in(folder)


def _fill(db: apsw.Connection, content: PartContent, redact: Redact, *, is_new: bool) -> None:
    if is_new:
        for name in ("lines.sql", "part.sql"):
            db.execute(resources.files("afterwit.recall.deck").joinpath(name).read_text("utf-8"))
        db.execute("INSERT INTO main.indexes VALUES (?, ?)", (REPO, content.repo))
        db.pragma("user_version", VERSION)
    if content.lines is not None:
        put_lines(db, content.lines, redact)
        put_notes(db, content.lines, redact)
    if content.prompts is not None:
        update_prompt_tables(db, content.prompts, redact)
