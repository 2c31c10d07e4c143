"""Replays history in order: every session through every player, with nothing known that came later.

Sessions are taken in the order of their first timestamps. Before one is played, all others are made known as far as
they had happened by then, each cut at that moment whether it has ended or goes on; one that begins in the same instant,
or that is a later fork of an earlier one, not at all. In which repository a session is, and its parent, is taken as it
is known now. A player hears when a session has ended: what takes the whole of it, such as what a model read there, is
known from then on. Streaming: a session is loaded when it is played and when it has ended, and one that runs beside
others is cut again only for those that begin after something more of it was known.
"""

import heapq
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import StrEnum
from typing import NamedTuple

import msgspec

from afterwit.digest.digester import Material, cut, digest
from afterwit.model.captured import ActionRow
from afterwit.model.digest import Digest
from afterwit.model.kinds import CHANGES, ActionKind, NoteKind, Status, Step
from afterwit.repos.folders import below


class NoteMoment(StrEnum):
    """When a note can be given, as outside examiners tell it."""

    START = "start"
    PROMPT = "prompt"
    BEFORE = "before"  # an action
    AFTER = "after"  # an action


class NoteOccasion(StrEnum):
    """What gave rise to a note, where the moment does not say it: usually the first prompt, or a failure."""

    USUAL = ""
    LATER_PROMPT = "later-prompt"
    ACTIVITY = "activity"  # the first action of its kind


class Saying(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a player says; the replay knows the rest."""

    text: str
    item: str = ""  # ids of what stands behind it
    advice: str = ""  # the command line to use instead
    files: tuple[str, ...] = ()  # where the work is likely to be, best first
    occasion: NoteOccasion = NoteOccasion.USUAL


class PlayerNote(Saying, frozen=True, kw_only=True, omit_defaults=True):
    """What a player said, and when."""

    session: str
    action: str | None  # that it comes before or after; of a later prompt, the last action before it
    moment: NoteMoment

    @property
    def tokens(self) -> float:
        """About what it costs to read."""
        return len(self.text) / 4


class Whereabouts(NamedTuple):
    """Where the agent is: what is known of a session when it begins."""

    session: str
    agent: str
    repo: str
    branch: str = ""
    parent: str = ""
    began_ms: int = 0
    user: str = ""
    relation: str = ""
    role: str = ""  # of a subagent


class Player:
    """A player that knows nothing and says nothing. Others override what they need."""

    name: str = "nothing"

    def know(self, digest: Digest) -> None:
        """A session, as far as it is known by now. Replaces what was known of it before."""

    def end(self, digest: Digest) -> None:
        """A session that was just made known has ended: nothing will be added to it."""

    def start(self, here: Whereabouts) -> Iterable[Saying]:
        """The session begins."""
        del here
        return ()

    def prompt(self, here: Whereabouts, prompt: str) -> Iterable[Saying]:
        """The first prompt has been given."""
        del here, prompt
        return ()

    def later_prompt(self, here: Whereabouts, prompt: str) -> Iterable[Saying]:
        """The user has typed another prompt."""
        del here, prompt
        return ()

    def before(self, here: Whereabouts, step: Step) -> Iterable[Saying]:
        """An action is about to run. Its result is not in the step."""
        del here, step
        return ()

    def after(self, here: Whereabouts, step: Step) -> Iterable[Saying]:
        """An action has failed."""
        del here, step
        return ()

    def action(self, here: Whereabouts, step: Step, paths: Sequence[str]) -> Iterable[Saying]:
        """An action is over, however it ended; a failure was told to `after` before. Its target and its error are as
        long as they are stored. The paths are those below the repository that it read or changed."""
        del here, step, paths
        return ()


_MOST_FILES = 5


class Frequent(Player):
    """Names the files changed in most sessions of a repository, among equals the one that was changed first: what a few
    lines of code would do. A file counts as changed unless the call failed, as to the outside examiner."""

    name = "frequent"

    def __init__(self) -> None:
        self._changed: defaultdict[str, dict[str, tuple[str, ...]]] = defaultdict(dict)  # by repository and session
        self._began: dict[str, tuple[int, str]] = {}  # by session

    def know(self, digest: Digest) -> None:
        steps = (step for step in digest.steps if step.kind in CHANGES and step.status is not Status.FAILED)
        files = tuple(dict.fromkeys(step.files[0] for step in steps if step.files))
        self._changed[digest.repo][digest.native_id] = files
        self._began[digest.native_id] = (digest.started_ms or 0, digest.native_id)

    def prompt(self, here: Whereabouts, prompt: str) -> Iterable[Saying]:
        del prompt
        sessions = self._changed[here.repo]
        if sessions:
            in_order = sorted(sessions, key=self._began.__getitem__)
            counts = Counter(path for session in in_order for path in sessions[session])
            files = tuple(path for path, _ in counts.most_common(_MOST_FILES))
            yield Saying(text=f"Likely files: {', '.join(files)}", item=self.name, files=files)


BASELINES: tuple[type[Player], ...] = (Player, Frequent)
"""Players to compare with."""


class Outline(NamedTuple):
    """What the order of a replay needs to know of a session."""

    key: int  # under which the caller finds the rest
    first_ms: int  # of any of its records, copied ones included: nothing later may be used in it
    started_ms: int  # of its own records: before that nobody could know it
    ended_ms: int
    here: Whereabouts


class Played(NamedTuple):
    """One session when its turn has come: what happened, and what each player said."""

    outline: Outline
    digest: Digest
    calls: tuple[str, ...]  # ids of its actions; none if it was not played
    notes: "Notes"
    is_played: bool = True  # else it was only made known


Notes = dict[str, list[PlayerNote]]  # by player


MaterialOf = Callable[[int], Material]  # finds the rest of a session, by its key


class _Running:
    """The sessions that have begun and may not have ended, in the order of their ends."""

    def __init__(self, material_of: MaterialOf, players: Sequence[Player]) -> None:
        self._material_of, self._players = material_of, players
        self._heap: list[tuple[int, int, Outline]] = []
        self._moments: dict[int, list[int]] = {}  # by key: the times at which more of it became known
        self._told: dict[int, int] = {}  # by key: how many of these had passed

    def begin(self, number: int, outline: Outline) -> None:
        heapq.heappush(self._heap, (outline.ended_ms, number, outline))

    def tell_ended(self, now_ms: int) -> None:
        while self._heap and self._heap[0][0] < now_ms:
            _, _, ended = heapq.heappop(self._heap)
            self._moments.pop(ended.key, None)
            self._told.pop(ended.key, None)
            last = self._tell(ended, now_ms)
            for player in self._players:
                player.end(last)

    def tell_running(self, now_ms: int) -> None:
        for _, _, other in sorted(self._heap):
            if other.started_ms < now_ms:
                self._tell_running(other, now_ms)

    def _tell_running(self, other: Outline, now_ms: int) -> None:
        if other.key not in self._moments:
            self._moments[other.key] = sorted(set(_moments(self._material_of(other.key))))
        passed = bisect_left(self._moments[other.key], now_ms)
        if self._told.get(other.key) != passed:
            self._told[other.key] = passed
            self._tell(other, now_ms)

    def _tell(self, outline: Outline, now_ms: int) -> Digest:
        so_far = digest(cut(self._material_of(outline.key), now_ms))
        placed = msgspec.structs.replace(so_far, repo=outline.here.repo, user=outline.here.user)
        for player in self._players:
            player.know(placed)
        return placed


def _moments(material: Material) -> Iterator[int]:
    """All times on which a cut of the session depends."""
    yield from (time for time in (material.identity.started_ms,) if time is not None)
    yield from (note.at_ms for note in material.notes if note.at_ms is not None)
    yield from (row.at_ms for row in material.actions if row.at_ms is not None)
    yield from (at_ms for at_ms in material.results_ms if at_ms is not None)


def replay(
    outlines: Iterable[Outline],
    material_of: MaterialOf,
    players: Sequence[Player],
    plays: Callable[[Outline], bool],
) -> Iterator[Played]:
    """All sessions in order. Those for which `plays` holds are played, the others are only made known."""
    running = _Running(material_of, players)
    for number, now in enumerate(sorted(outlines, key=lambda outline: (outline.first_ms, outline.here.session))):
        running.tell_ended(now.first_ms)
        material = material_of(now.key)
        whole = msgspec.structs.replace(digest(material), repo=now.here.repo, user=now.here.user)
        if plays(now):
            course = _course(_as_asked(now.here, material), whole, material)
            running.tell_running(now.first_ms)
            notes = {player.name: list(_speak(player, course)) for player in players}
            yield Played(now, whole, tuple(row.call_id for row in course.rows), notes)
        else:
            yield Played(now, whole, (), {}, is_played=False)
        running.begin(number, now)


class _Course(NamedTuple):
    """A session as it is played."""

    here: Whereabouts
    digest: Digest
    rows: tuple[ActionRow, ...]  # of its actions
    paths: tuple[tuple[str, ...], ...]  # below the repository, that its actions read or changed


def _as_asked(here: Whereabouts, material: Material) -> Whereabouts:
    """Where the agent is at its first prompt: on no branch that is first named later."""
    prompts = (note.at_ms for note in material.notes if note.kind is NoteKind.PROMPT and note.at_ms is not None)
    asked_ms = min(prompts, default=here.began_ms)
    is_known = material.branch_ms is not None and material.branch_ms <= asked_ms
    return here if is_known else here._replace(branch="")


def _course(here: Whereabouts, whole: Digest, material: Material) -> _Course:
    identity = material.identity
    touched = (
        step.files or ((below(step.target, identity.cwd, identity.root),) if step.kind is ActionKind.READ else ())
        for step in whole.steps
    )
    paths = tuple(tuple(path for path in several if path and not path.startswith("/")) for several in touched)
    return _Course(here, whole, material.actions, paths)


def _speak(player: Player, course: _Course) -> Iterator[PlayerNote]:
    here, whole = course.here, course.digest
    yield from (_note(here, None, NoteMoment.START, saying) for saying in player.start(here))
    if whole.task:
        yield from (_note(here, None, NoteMoment.PROMPT, saying) for saying in player.prompt(here, whole.task))
    later = _later_prompts(course)
    yield from _at_later_prompts(player, here, None, later[0])
    for step, row, paths, prompts in zip(whole.steps, course.rows, course.paths, later[1:], strict=True):
        call = row.call_id
        unknown = Step(step.kind, step.tool, step.target, Status.UNKNOWN, at_s=step.at_s, files=step.files)
        yield from (_note(here, call, NoteMoment.BEFORE, saying) for saying in player.before(here, unknown))
        if step.status is Status.FAILED:
            yield from (_note(here, call, NoteMoment.AFTER, saying) for saying in player.after(here, step))
        over = step._replace(target=row.target, error=row.error)
        yield from (_note(here, call, NoteMoment.AFTER, saying) for saying in player.action(here, over, paths))
        yield from _at_later_prompts(player, here, call, prompts)


def _later_prompts(course: _Course) -> list[list[str]]:
    """The prompts after the first: those before any action, then those that follow each one. A prompt without a time
    cannot be placed; an action without one counts as earlier, so that nothing is said too soon."""
    placed: list[list[str]] = [[] for _ in range(len(course.rows) + 1)]
    for said in course.digest.prompts[1:]:
        if said.at_ms is not None:
            later = (at for at, row in enumerate(course.rows) if row.at_ms is not None and row.at_ms >= said.at_ms)
            placed[next(later, len(course.rows))].append(said.text)
    return placed


def _at_later_prompts(
    player: Player, here: Whereabouts, call: str | None, prompts: Iterable[str]
) -> Iterator[PlayerNote]:
    """Without files: examiners take those of prompts for named before the session looked for anything."""
    for prompt in prompts:
        for saying in player.later_prompt(here, prompt):
            unplaced = msgspec.structs.replace(saying, files=(), occasion=NoteOccasion.LATER_PROMPT)
            yield _note(here, call, NoteMoment.PROMPT, unplaced)


def _note(here: Whereabouts, call: str | None, moment: NoteMoment, saying: Saying) -> PlayerNote:
    return PlayerNote(session=here.session, action=call, moment=moment, **msgspec.structs.asdict(saying))
