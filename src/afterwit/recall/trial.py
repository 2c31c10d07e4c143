"""Tries triggers on the past: in how many sessions each of them would have fired, and at what.

A deck of nothing but these triggers is written, and the very function that hooks call is asked at every prompt and
every action of the sessions. What it says fires, fires.
"""

import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import apsw

from afterwit.agents.hook_payloads import AFTER, PROMPT, Moment, described
from afterwit.digest.door import load_digest
from afterwit.model.digest import Digest
from afterwit.model.kinds import ActionKind, Status, Step
from afterwit.model.knowledge import Scope, ScopeKind, Trigger
from afterwit.recall.deck.firing_lines import FiringLine
from afterwit.recall.deck.location import Location
from afterwit.recall.deck.reader import Deck
from afterwit.recall.deck.write import DeckContent, DeckSettings, write_deck
from afterwit.recall.hook.call import Permissions, proposed
from afterwit.redaction.shown import ours
from afterwit.store.marks import newest_in
from afterwit.store.rows.session_list import session_row

_HERE = Location("here", "/here")
_NEVER_CALLED = (Status.DENIED, Status.CANCELLED)
_OF_FILES = (ActionKind.READ, ActionKind.EDIT, ActionKind.WRITE)
_NOTHING_ASKED = Permissions(refuse=False, rewrite=False)
_MOST_TRIED = 60  # past sessions
_MOST_SHOWN = 4  # moments of a line
_LONGEST_SHOWN = 160
_ALL = 10_000  # lines after one failure


class Fired(NamedTuple):
    """What a trial of some lines came to."""

    times: list[int]  # sessions in which one of the triggers of a line would have fired
    sessions: int
    moments: list[list[str]]  # by line, of the latest sessions the first at which it would have fired


def times_fired(lines: Sequence[Sequence[Trigger]], digests: Iterable[Digest]) -> Fired:
    """Tries the triggers of each line on these sessions, the latest first."""
    fired: Counter[str] = Counter()
    shown: defaultdict[str, list[str]] = defaultdict(list)
    sessions = 0
    with tempfile.TemporaryDirectory(prefix="afterwit-trial-") as folder:
        path = Path(folder) / "deck.db"
        scope = Scope(ScopeKind.REPO, _HERE.repo)
        fired_by = [
            FiringLine(str(number), ours("tried"), scope, confidence=1.0, triggers=tuple(own), awaits=tuple(own))
            for number, own in enumerate(lines)
        ]
        write_deck(path, DeckContent(DeckSettings(b"\0" * 16, most_lines=_ALL), lines=fired_by))
        deck = Deck(str(path))
        for digest in digests:
            sessions += 1
            first: dict[str, Moment] = {}
            for moment in _moments(digest):
                for line in _firing(deck, digest.agent, moment):
                    first.setdefault(line, moment)
            fired.update(first.keys())
            for line, moment in first.items():
                if len(shown[line]) < _MOST_SHOWN:
                    shown[line].append(_in_words(moment))
    names = [str(number) for number in range(len(lines))]
    return Fired([fired[name] for name in names], sessions, [shown[name] for name in names])


def _in_words(moment: Moment) -> str:
    if moment.prompt:
        return f"the prompt “{' '.join(moment.prompt.split())[:_LONGEST_SHOWN]}”"
    said = moment.command or str(moment.arguments.get("file_path") or moment.tool).removeprefix(f"{_HERE.root}/")
    return f"{'the failure of ' if moment.output else ''}`{' '.join(said.split())[:_LONGEST_SHOWN]}`"


def past_digests(db: apsw.Connection, repo: str) -> list[Digest]:
    """The past sessions of people in a repository, the latest first, as far as they tell what triggers would meet."""
    rows = (session_row(db, name) for name in newest_in(db, repo, 2 * _MOST_TRIED))
    top = [row for row in rows if row is not None and not row.parent][:_MOST_TRIED]
    return [digest for row in top if (digest := load_digest(db, row)) is not None]


def _moments(digest: Digest) -> Iterable[Moment]:
    for prompt in digest.prompts or ():
        yield Moment(PROMPT, "", prompt=prompt.text)
    if not digest.prompts and digest.task:
        yield Moment(PROMPT, "", prompt=digest.task)
    for step in digest.steps:
        if step.status not in _NEVER_CALLED:
            paths = step.files or ((step.target,) if step.kind in _OF_FILES else ())
            yield moment_of(step, digest.agent, [f"{_HERE.root}/{path.removeprefix('./')}" for path in paths])


def _firing(deck: Deck, agent: str, moment: Moment) -> Iterable[str]:
    proposal = proposed(deck, agent, moment, _HERE, _NOTHING_ASKED)
    return [line.item for line in (*proposal.lines, *proposal.awaited)] if proposal is not None else ()


def moment_of(step: Step, agent: str, paths: Sequence[str]) -> Moment:
    """The call of a hook after an action, as far as the action is kept. `paths` are those that it read or changed."""
    is_told = described(agent).get("hooks", {}).get("tells_outcome", True)
    return Moment(
        AFTER,
        "",
        tool=step.tool,
        arguments=_arguments(step, paths),
        output=step.error,
        is_error=step.status is Status.FAILED if is_told else None,
        exit_code=step.exit_code if is_told else None,
    )


def _arguments(step: Step, paths: Sequence[str]) -> dict[str, object]:
    """What the agent's tool was called with."""
    if step.kind is ActionKind.SHELL:
        return {"command": step.target}
    if len(paths) > 1:
        return {"input": "\n".join(("*** Begin Patch", *(f"*** Update File: {path}" for path in paths)))}
    if paths or step.kind in _OF_FILES:
        return {"file_path": paths[0] if paths else step.target}
    return {}
