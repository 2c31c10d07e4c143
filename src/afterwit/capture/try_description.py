"""What a description would read from one file, without storing anything.

The same pass that `learn` makes over a file: the reader by its description, redaction, calls joined with results. Says
what helps to write a description: sessions with their first prompts, events by kind, actions by status, the types of
records that no rule speaks of, and whether the file would be found and recognised at all.
"""

import secrets
from collections import Counter
from itertools import islice
from pathlib import Path, PurePosixPath

import msgspec

from afterwit.agents.declared.description import Description
from afterwit.agents.declared.reader import DeclaredReader
from afterwit.agents.descriptor import matches
from afterwit.capture.derive import derive_live
from afterwit.config.run_rules import RunRules, known_people
from afterwit.config.world import World
from afterwit.model.captured import Captured
from afterwit.model.errors import AfterwitError
from afterwit.store.regular_files import open_regular

_SHOWN = 5
_SNIFF_LINES = 50


class SessionTried(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    first_prompt: str
    events: int
    actions: int
    started_ms: int | None


class ActionTried(msgspec.Struct, frozen=True, kw_only=True):
    tool: str
    kind: str
    target: str
    status: str


class TriedFile(msgspec.Struct, frozen=True, kw_only=True):
    """What a file would become."""

    name: str
    file: str
    is_found: bool  # its path fits one of the patterns
    is_recognised: bool  # one of its first records fits `sniff`
    sessions: list[SessionTried]
    events: dict[str, int]  # by kind
    statuses: dict[str, int]  # actions by status
    actions: list[ActionTried]  # the first ones
    responses: int  # of the model, with what they used
    known: dict[str, int]  # records by type
    unknown: dict[str, int]  # those that no rule speaks of
    problems: list[str]  # the first ones
    problem_count: int


def try_file(world: World, description: Description, file: Path) -> TriedFile:
    """Reads one file as `learn` would. Raises AfterwitError where it cannot be opened."""
    rules = RunRules(
        key=secrets.token_bytes(32),
        people=known_people(world.environ, world.user_home, world.settings.redaction),
        tool_names=dict(world.settings.aliases.tools),
        user_names=dict(world.settings.aliases.users),
        declared=(description,),
    )
    place = file.absolute()
    below = PurePosixPath(place.parent.name, place.name)
    derived = derive_live(description.name, place.parent.parent, below, frozenset(), rules, None)
    if derived.captured is None:
        raise AfterwitError(f"Cannot read {file}: {derived.error}.")
    captured = derived.captured
    return TriedFile(
        name=description.name,
        file=str(file),
        is_found=_is_found(description, place),
        is_recognised=_is_recognised(description, place),
        sessions=_sessions(captured),
        events=dict(Counter(row.kind.value for row in captured.events).most_common()),
        statuses=dict(Counter(row.status.value for row in captured.actions).most_common()),
        actions=[
            ActionTried(tool=row.tool, kind=row.kind.value, target=row.target, status=row.status.value)
            for row in sorted(captured.actions, key=lambda row: row.offset)[:_SHOWN]
        ],
        responses=len(captured.spends),
        known=derived.known,
        unknown=derived.unknown,
        problems=[f"byte {row.offset}: {row.reason}" for row in captured.problems[:_SHOWN]],
        problem_count=len(captured.problems),
    )


def _sessions(captured: Captured) -> list[SessionTried]:
    return [
        SessionTried(
            id=part.native_id,
            first_prompt=part.first_prompt,
            events=part.events,
            actions=part.calls,
            started_ms=part.started_ms,
        )
        for part in captured.parts
        if not part.is_empty
    ]


def _is_found(description: Description, place: Path) -> bool:
    """Whether there is a folder above the file that could be the home."""
    names = PurePosixPath(place.as_posix()).parts
    return any(matches(description.transcripts, PurePosixPath(*names[at:])) for at in range(1, len(names)))


def _is_recognised(description: Description, place: Path) -> bool:
    reader = DeclaredReader(description)
    with open_regular(place) as lines:
        for line in islice(lines, _SNIFF_LINES):
            try:
                record = msgspec.json.decode(line)
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
                continue
            if isinstance(record, dict) and reader.sniffs(record):
                return True
    return False
