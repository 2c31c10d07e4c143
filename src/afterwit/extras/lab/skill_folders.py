"""The one way to write a skill: a folder with a `SKILL.md`, in a place where an agent looks for skills, and back again.

Planned first, so that it can be shown; the plan holds the record for the journal, which has to be told before anything
is written: killed in between, the same plan can be made and carried out again. A file that nobody here wrote, or that
somebody changed since, is refused, unless the caller names its hash because a person was shown what it says; then a
copy is kept. Taking a skill back leaves everything byte for byte as it was before the first of ours.

Names are a slug and a hash, and the file has to lie inside the place that was named, links followed.
"""

import json
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from afterwit.agents.descriptor import Agent
from afterwit.agents.registry import AGENTS, agent
from afterwit.connect.foreign_files import (
    FileRecord,
    ForeignFile,
    expanded,
    fingerprint,
    keep_copy,
    kept_copy,
    look,
    missing_folders,
    remove_folders,
    replace,
    shortened,
)
from afterwit.model.errors import AfterwitError, UsageError
from afterwit.model.text import regex
from afterwit.redaction.shown import Shown
from afterwit.store.atomic import step
from afterwit.store.layout import Layout

FILE = "SKILL.md"
LONGEST_NAME, LONGEST_DESCRIPTION = 64, 1024  # what agents take
_LONGEST_SLUG = 40
_DIGITS = 8
_NAME = regex(r"[a-z0-9]+(?:-[a-z0-9]+)*")


class SkillDocument(NamedTuple):
    """What a `SKILL.md` says. Everything in it has passed the gate."""

    name: str
    description: Shown
    body: Shown
    version: str

    @property
    def content(self) -> bytes:
        """The file. A string of JSON is one of YAML, too."""
        head = (
            "---",
            f"name: {self.name}",
            f"description: {json.dumps(' '.join(self.description.split()), ensure_ascii=False)}",
            "metadata:",
            f"  version: {json.dumps(self.version)}",
            "---",
        )
        return "\n".join((*head, "", self.body.strip("\n"), "")).encode()


class SkillChange(NamedTuple):
    """A change of one file that can be shown and then carried out."""

    file: ForeignFile
    wanted: bytes | None  # None: it goes
    record: FileRecord  # for the journal
    base: bytes | None = None  # the file before the first of ours
    made: tuple[Path, ...] = ()  # folders that were made for it, outermost first

    @property
    def is_needed(self) -> bool:
        return self.wanted != self.file.content


def skill_readers() -> tuple[Agent, ...]:
    """The agents that read skills, in the order of agents."""
    return tuple(entry for entry in AGENTS if entry.skills is not None)


def skills_root(name: str, user_home: Path, environ: Mapping[str, str], project: Path | None = None) -> Path:
    """The folder in which an agent looks for skills: the user's, or a project's."""
    places = agent(name).skills
    if places is None:
        raise UsageError(
            f"{name} reads no skills. Those that do: {', '.join(reader.name for reader in skill_readers())}."
        )
    if project is not None:
        if not places.project:
            raise UsageError(f"{name} reads no skills of projects. Without a project the user's own are written.")
        return project / places.project
    moved = environ.get(places.variable.name, "").strip() if places.variable else ""
    if places.variable and moved:
        return user_home / moved.removeprefix("~/") / places.variable.below
    return user_home / places.user


def skill_name(words: str, key: str) -> str:
    """A name for a skill: what it is about, and a hash, which tells it from all others."""
    digits = re.sub(r"[^a-z0-9]", "", key.casefold())[:_DIGITS]
    slug = "-".join(re.findall(r"[a-z0-9]+", words.casefold()))[:_LONGEST_SLUG].strip("-")
    return "-".join(filter(None, (slug, digits)))


def skill_document(name: str, description: Shown, body: Shown, version: str) -> SkillDocument:
    """The document, if agents would take it."""
    if not _NAME.fullmatch(name) or len(name) > LONGEST_NAME:
        raise UsageError(f"{name!r} is no name for a skill: lower case letters, digits and single hyphens, at most 64.")
    if not description.strip() or len(description) > LONGEST_DESCRIPTION:
        raise UsageError(f"The description of {name} has to have 1 to {LONGEST_DESCRIPTION} characters.")
    return SkillDocument(name, description, body, version)


def plan_skill(
    root: Path, document: SkillDocument, user_home: Path, earlier: Sequence[FileRecord] = (), seen: str = ""
) -> SkillChange:
    """How to write a skill below a root, or bring it up to date. `earlier`: the records of this file since it was last
    taken back, the first one first. `seen`: the hash of somebody else's file that a person agreed to replace."""
    path = _inside(root, document.name)
    file = look(path)
    base, made = file.content, missing_folders(file.target)
    if earlier:
        _refuse_changed(file, earlier)
        made = tuple(expanded(folder, user_home) for folder in earlier[0].made)
        base_hash = earlier[0].base
    else:
        if file.content is not None and fingerprint(file.content) != seen:
            raise UsageError(f"{path} is there and was not written by afterwit: move it away, then try again.")
        base_hash = None if base is None else fingerprint(base)
    record = FileRecord(
        shortened(path, user_home),
        base_hash,
        fingerprint(document.content),
        tuple(shortened(folder, user_home) for folder in made),
    )
    return SkillChange(file, document.content, record, None if earlier else base, made)


def plan_removal(layout: Layout, user_home: Path, earlier: Sequence[FileRecord]) -> SkillChange:
    """How to take a skill back: what was there before comes back, or nothing is left."""
    first = earlier[0]
    file = look(expanded(first.path, user_home))
    _refuse_changed(file, earlier)
    wanted = None if first.base is None or file.content is None else kept_copy(layout.published_copies, first.base)
    made = tuple(expanded(folder, user_home) for folder in first.made)
    return SkillChange(file, wanted, FileRecord(first.path, None, ""), made=made)


def is_changed(file: ForeignFile, earlier: Sequence[FileRecord]) -> bool:
    """Whether somebody else changed a file since it was written."""
    return file.content is not None and fingerprint(file.content) not in _known(earlier)


def keep_bases(layout: Layout, changes: Sequence[SkillChange]) -> None:
    """Keeps copies of files of others. To be called before the journal is told."""
    for change in changes:
        if change.base is not None:
            keep_copy(layout.published_copies, change.base)


def carry_out(changes: Sequence[SkillChange]) -> list[Path]:
    """Writes what was planned, or puts all of it back. To be called after the journal was told. Returns the files that
    changed."""
    done: list[tuple[SkillChange, tuple[Path, ...]]] = []
    try:
        for change in (wanted for wanted in changes if wanted.is_needed):
            done.append((change, replace(change.file, change.wanted)))
            step("a skill is written or removed, others may not be")
    except (AfterwitError, OSError):
        for change, made in reversed(done):
            replace(change.file._replace(content=change.wanted), change.file.content)
            remove_folders(made)
        raise
    for change in changes:
        if change.wanted is None:
            remove_folders(change.made)
    return [change.file.path for change, _ in done]


def _inside(root: Path, name: str) -> Path:
    path = root / name / FILE
    real_root, real = os.path.realpath(root), os.path.realpath(path)
    if os.path.commonpath((real_root, real)) != real_root:
        raise UsageError(f"{path} leads out of {root} ({real}), and is left alone. Move the link away, then try again.")
    return path


def _refuse_changed(file: ForeignFile, earlier: Sequence[FileRecord]) -> None:
    if is_changed(file, earlier):
        raise UsageError(f"{file.path} was changed by hand, and is left alone. Move it away, then try again.")


def _known(earlier: Sequence[FileRecord]) -> set[str | None]:
    """Hashes that the file may have: of all that was written, and of what was there before, if writing was cut off."""
    return {earlier[0].base, *(record.after for record in earlier)} if earlier else set()
