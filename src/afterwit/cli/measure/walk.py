"""A walk through one replayed session: what was known, what was said when, and what then happened."""

from collections.abc import Iterator

from afterwit.measure.player import NoteMoment, PlayerNote
from afterwit.measure.replay import Played
from afterwit.measure.scores import changed_files, searches_before
from afterwit.model.kinds import Status

_WIDTH = 100


def walk_lines(played: Played) -> Iterator[str]:
    """The lines to print."""
    digest = played.digest
    yield f"{digest.agent} {digest.native_id} in {digest.repo or 'no repository'}"
    yield f"task: {_one_line(digest.task)}"
    for player, notes in played.notes.items():
        yield ""
        yield f"{player}: {_counted(notes)}"
        yield from _said(played, notes)


def _said(played: Played, notes: list[PlayerNote]) -> Iterator[str]:
    changed = changed_files(played.digest)
    for note in notes:
        if note.moment in (NoteMoment.START, NoteMoment.PROMPT):
            yield f"  at the {note.moment}: {_one_line(note.text)}"
            yield from (f"    {'changed  ' if path in changed else '–        '}{path}" for path in note.files)
    missed = [path for path in changed if all(path not in note.files for note in notes)]
    yield from (f"    missed   {path} (after {searches_before(played.digest, path)} searches)" for path in missed[:10])
    by_call: dict[str, list[PlayerNote]] = {}
    for note in notes:
        if note.action is not None:
            by_call.setdefault(note.action, []).append(note)
    for at, (call, step) in enumerate(zip(played.calls, played.digest.steps, strict=True)):
        spoken = by_call.get(call, [])
        if not spoken and step.status is not Status.FAILED:
            continue
        yield f"  {at:>4} {step.status:<9} {_one_line(step.target)}"
        if step.error:
            yield f"       it said: {_one_line(step.error)}"
        yield from (f"       {said.moment}: {_one_line(said.text)}" for said in spoken)


def _counted(notes: list[PlayerNote]) -> str:
    return "said nothing" if not notes else f"{len(notes)} note{'s' if len(notes) > 1 else ''}"


def _one_line(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= _WIDTH else f"{flat[: _WIDTH - 1]}…"
