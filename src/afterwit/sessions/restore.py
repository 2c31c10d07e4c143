"""Gives archived originals back: planned first, as data, then written.

Every file is byte for byte what the agent wrote, checked against its hash before it appears under its name. Paths come
from the archive and are checked: nothing is written outside the folder, no symbolic link is followed, nothing that is
there already is replaced unless asked for, and then it is kept beside under another name.
"""

import hashlib
import os
from collections.abc import Iterable, Iterator
from enum import StrEnum
from pathlib import Path, PurePosixPath
from typing import BinaryIO, NamedTuple

import apsw

from afterwit.agents.registry import gatherers_for, reader_for
from afterwit.capture.derived import COMPANION, Origin
from afterwit.capture.plan import homes
from afterwit.config.world import World
from afterwit.model.errors import AfterwitError, DamagedError, UsageError
from afterwit.sessions.originals import TranscriptSource, files_of, origin_of, original_bytes
from afterwit.sessions.show import descendants
from afterwit.store.atomic import open_new
from afterwit.store.regular_files import open_regular
from afterwit.store.rows.files import FileRow, all_files, file_generation, why_dropped
from afterwit.store.rows.session_list import SessionRow

_BLOCK_BYTES = 1 << 20
_FORBIDDEN = ("", ".", "..")


class AtTarget(StrEnum):
    """What is at the place where a file is to go."""

    NOTHING = "new"
    SAME = "same"
    OTHER = "different"


class RestoreStep(NamedTuple):
    """One file to give back."""

    file: FileRow
    origin: Origin
    root: Path  # nothing above it is touched
    target: Path
    found: AtTarget
    is_in_place: bool = False  # then it gets the present time: with its old one the agent would delete it again


class RestorePlan(NamedTuple):
    steps: list[RestoreStep]
    faults: list[str]  # what the archive does not hold

    @property
    def conflicts(self) -> list[RestoreStep]:
        return [step for step in self.steps if step.found is AtTarget.OTHER]

    @property
    def renderings(self) -> list[RestoreStep]:
        return [step for step in self.steps if is_rendering(step.origin)]


class RestoreChoice(NamedTuple):
    """What to give back of a session. Without a generation: the latest."""

    with_subagents: bool = False
    generation: int | None = None


def plan_restore(
    source: TranscriptSource, world: World, sessions: Iterable[SessionRow], folder: Path | None, choice: RestoreChoice
) -> RestorePlan:
    """Where each file would go: below `folder`, or, without one, where the agent looks for it."""
    faults: list[str] = []
    steps: dict[Path, RestoreStep] = {}
    chosen = list(sessions)
    for session in chosen:
        refuse_partial(session)
    for file in _files(source, chosen, choice, faults):
        if file.is_dropped:
            faults.append(why_dropped(file))
            continue
        try:
            origin = origin_of(source.store, file)
        except DamagedError as error:
            faults.append(str(error))
            continue
        if folder is None and is_rendering(origin):
            raise UsageError(
                f"{origin.path} is not a file of {origin.agent}: the session lives in a database or in many files, and "
                "the archive holds the rows it was read from. Use --to FOLDER to get those."
            )
        root = folder if folder is not None else _home(world, origin)
        target = _below(root, origin.path)
        before = steps.get(target)
        if before is None:
            steps[target] = RestoreStep(
                file, origin, root, target, _look_at_target(target, file), is_in_place=folder is None
            )
        elif before.file.sha256 != file.sha256:
            raise UsageError(f"Two originals would both become {target}. Restore these sessions into separate folders.")
    return RestorePlan(sorted(steps.values(), key=lambda step: step.target), faults)


def is_rendering(origin: Origin) -> bool:
    """Whether the original is not a file of the agent, but the rows or files that the session was read from."""
    return any(gatherer.renders(origin.path) for gatherer in gatherers_for(origin.agent))


def refuse_partial(session: SessionRow) -> None:
    """A session that only a history of prompts tells of has no file of its own to give back."""
    if session.is_partial:
        raise UsageError(
            f"Of {session.native_id} only the prompts are known, from a history that all sessions share. "
            f"`afterwit sessions show {session.native_id}` shows them."
        )


def refuse_dropped(files: Iterable[FileRow]) -> None:
    """Originals that were given up for space cannot be had from here."""
    for file in files:
        if file.is_dropped:
            raise AfterwitError(why_dropped(file))


def restore_file(source: TranscriptSource, step: RestoreStep, *, is_forced: bool = False) -> Path | None:
    """Writes one file. Returns where the one that was there went, if there was another."""
    if step.found is AtTarget.SAME:
        return None
    if step.found is AtTarget.OTHER and not is_forced:
        raise UsageError(f"{step.target} is there already and is different.")
    _make_folders(step.root, step.target)
    backup = None
    try:
        with open_new(step.target) as file:
            _write(source, step, file)
            if step.file.mtime_ns and not step.is_in_place:
                os.utime(file.name, ns=(step.file.mtime_ns, step.file.mtime_ns))
            if step.found is AtTarget.OTHER:
                backup = _set_aside(step.target)
    except FileExistsError:
        raise UsageError(f"{step.target} has appeared in the meantime. Run the command again.") from None
    return backup


def _files(
    source: TranscriptSource, sessions: Iterable[SessionRow], choice: RestoreChoice, faults: list[str]
) -> Iterator[FileRow]:
    """The transcripts of the sessions, and what belongs to them."""
    db = source.store.db
    by_id: dict[int, FileRow] = {}
    for session in sessions:
        family = [session, *(descendants(source, session) if choice.with_subagents else ())]
        for member in family:
            files = _choose_files(db, files_of(source.store, member), choice.generation)
            if not files:
                faults.append(f"{member.native_id}: no file of it has an earlier state {choice.generation}")
            by_id.update((file.id, file) for file in files)
    yield from by_id.values()
    yield from _companions(source, list(by_id.values()))


def _choose_files(db: apsw.Connection, files: list[FileRow], generation: int | None) -> list[FileRow]:
    if generation is not None:
        keys = dict.fromkeys(file.key for file in files)
        return [row for key in keys if (row := file_generation(db, key, generation))]
    latest: dict[bytes, FileRow] = {}
    for file in files:
        before = latest.get(file.key)
        latest[file.key] = file if before is None or file.generation > before.generation else before
    return list(latest.values())


def _companions(source: TranscriptSource, transcripts: list[FileRow]) -> Iterator[FileRow]:
    """The archived files that belong to these transcripts, as they were last."""
    wanted = set()
    for file in transcripts:
        try:
            wanted.add(origin_of(source.store, file))
        except DamagedError:
            continue
    agents = {origin.agent for origin in wanted}
    for file in all_files(source.store.db):
        if file.role == COMPANION and file.is_live and file.held_bytes and file.agent in agents:
            try:
                origin = origin_of(source.store, file)
            except DamagedError:
                continue
            reader = reader_for(origin.agent, source.declared)
            owner = reader.primary(origin.path) if reader else None
            if owner is not None and origin._replace(path=owner) in wanted:
                yield file


def _home(world: World, origin: Origin) -> Path:
    for home in homes(world.settings, world.user_home, {origin.agent}):
        if home.label == origin.label:
            return home.folder
    raise UsageError(
        f"{origin.path} of {origin.agent} was read from a folder that is no home of that agent now. Use --to FOLDER."
    )


def _below(root: Path, path: PurePosixPath) -> Path:
    """The place of a path below a folder. Names come from the archive, so they are checked like foreign ones."""
    names = str(path).split("/")
    is_odd = any(name in _FORBIDDEN or "\0" in name for name in names)
    if is_odd or (os.name == "nt" and any(set(name) & set('\\:<>"|?*') for name in names)):
        raise AfterwitError(f"The archive names {str(path)!r}, which is no path to restore to.")
    return root.joinpath(*names)


def _look_at_target(target: Path, file: FileRow) -> AtTarget:
    if not os.path.lexists(target):
        return AtTarget.NOTHING
    if target.is_symlink() or not target.is_file():
        raise UsageError(f"{target} is there already and is no plain file.")
    sha, size = hashlib.sha256(), 0
    with open_regular(target) as present:
        while block := present.read(_BLOCK_BYTES):
            sha.update(block)
            size += len(block)
    return AtTarget.SAME if (size, sha.hexdigest()) == (file.held_bytes, file.sha256) else AtTarget.OTHER


def _make_folders(root: Path, target: Path) -> None:
    """The folders down to the target. One that is a link could lead anywhere, so it is refused."""
    root.mkdir(parents=True, exist_ok=True)
    folder = root
    for name in target.relative_to(root).parts[:-1]:
        folder = folder / name
        if folder.is_symlink():
            raise UsageError(f"{folder} is a symbolic link; nothing is written through one.")
        folder.mkdir(mode=0o700, exist_ok=True)


def _write(source: TranscriptSource, step: RestoreStep, file: BinaryIO) -> None:
    """The whole original, or an error."""
    sha = hashlib.sha256()
    for piece in original_bytes(source.store, step.file):
        sha.update(piece)
        file.write(piece)
    file.flush()  # what is written later would change the file's time
    if sha.hexdigest() != step.file.sha256:
        raise DamagedError(f"{step.origin.path}: the archive does not hold its bytes as they were. Nothing is written.")


def _set_aside(target: Path) -> Path:
    """Moves a file out of the way, under a name that no agent reads."""
    number = 1
    while True:
        backup = target.with_name(f"{target.name}.before-restore-{number}")
        if not os.path.lexists(backup):
            return target.rename(backup)
        number += 1
