"""Where work is: how well files are named at the first prompt, repository by repository, with and without checkouts.

    AFTERWIT_JUDGE=judge.py AFTERWIT_CORPUS=HOME python -m bench.places --checkout NAME=FOLDER …

Learns the home into a temporary store and replays it. The examiner's script says which sessions count and how many
searches they spent; its own players *frequent* and *similar* stand beside ours. *git alone* knows no session. *git
grep* and *ls-files* name the first files in which, or in whose path, the prompt's rarest word stands that is in any.
Besides the examiner's pool (files that earlier sessions had changed) there is one of all sessions that changed a file
which lay in the repository when they began: whoever has no history yet has that one. *told* counts the lists that
sessions are told, and how many of them hold a file that the session changes and its prompt does not name. Intervals are
by session.
"""

import contextlib
import io
import os
import random
import re
import runpy
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import msgspec

from afterwit.config.world import World
from afterwit.engine.replay import PastStore, PlacesPlayer, past_of
from afterwit.engine.sweep import sweep
from afterwit.measure.backtest import walked
from afterwit.measure.replay import Saying, Whereabouts
from afterwit.model.digest import Digest
from afterwit.model.kinds import Relation
from afterwit.model.learn_run import Options
from afterwit.model.settings import RepositorySettings
from afterwit.recall.deck.first_prompt import files_at_prompt
from afterwit.recall.deck.location import location_of
from afterwit.recall.deck.reader import Deck
from bench.backtest import READ_BY_EXAMINER
from bench.results import command_line, report
from bench.worlds import Silent, world_of

_ROUNDS = 1_000
_SEED = 84
_MOST_WORDS = 60  # of a prompt that are searched for, the longest
Named = Mapping[str, Sequence[str]]  # files by session
Places = TypeVar("Places", bound=PlacesPlayer)


class Case(NamedTuple):
    """A session in which there is something to find."""

    session: str
    repo: str
    files: Sequence[str]
    searches: int


class GitAlone(PlacesPlayer):
    """Knows no session, and notes which files were there."""

    def __init__(self, past: PastStore) -> None:
        super().__init__(past)
        self.there: dict[str, frozenset[str]] = {}

    def know(self, digest: Digest) -> None:
        """Nothing is learned."""

    def prompt(self, here: Whereabouts, prompt: str) -> Iterable[Saying]:
        yield from super().prompt(here, prompt)
        self.there[here.session] = files_in(Path(self._past.folder(here.repo)))


class Searching(GitAlone):
    """Names what a search of the checkout for the prompt's rarest word finds."""

    def prompt(self, here: Whereabouts, prompt: str) -> Iterable[Saying]:
        self._past.at(here)
        words = sorted(set(re.findall(r"[a-z][a-z0-9]{3,}", prompt.lower())), key=lambda word: (-len(word), word))
        found = list(filter(None, self.search(self._past.folder(here.repo), words[:_MOST_WORDS])))
        files = min(found, key=lambda paths: (len(paths), paths), default=[])
        if files:
            yield Saying(text=" ".join(files[:5]), files=tuple(files[:5]))

    def search(self, root: str, words: Sequence[str]) -> Iterator[list[str]]:
        """The files that hold each word."""
        return (git(root, "grep", "-IliF", "-e", word) for word in words)


class Listing(Searching):
    """The same in paths alone."""

    def search(self, root: str, words: Sequence[str]) -> Iterator[list[str]]:
        files = git(root, "ls-files")
        return ([path for path in files if word in path.lower()] for word in words)


class Told(PlacesPlayer):
    """What hooks tell with the first prompt, and the prompts."""

    def __init__(self, past: PastStore) -> None:
        super().__init__(past)
        self.prompts: dict[str, str] = {}

    def prompt(self, here: Whereabouts, prompt: str) -> Iterable[Saying]:
        if here.relation == Relation.SUBAGENT:
            return
        self.prompts[here.session] = prompt
        deck = Deck(str(self._past.at(here).layout.deck))
        told = files_at_prompt(deck, here.agent, prompt, location_of(deck, self._past.folder(here.repo)))
        if told:
            yield Saying(text="", files=tuple(place.path for place in told))


def files_in(root: Path) -> frozenset[str]:
    files = (path.relative_to(root) for path in root.rglob("*") if path.is_file())
    return frozenset(str(path) for path in files if path.parts[0] != ".git")


def git(root: str, *arguments: str) -> list[str]:
    command = ["git", "-C", root, *arguments]
    return subprocess.run(command, capture_output=True, check=False).stdout.decode("utf-8", "replace").splitlines()


def with_checkouts(world: World, given: Iterable[str], *, is_read: bool) -> World:
    """The world, with these checkouts besides those that the settings name."""
    named = dict(world.settings.repositories.checkouts)
    for text in given:
        repo, equals, folder = text.partition("=")
        if not repo or not equals or not Path(folder).is_dir():
            raise SystemExit(f"--checkout {text}: write REPO=FOLDER, with a folder that is there.")
        named[repo] = Path(folder).absolute()
    repositories = RepositorySettings(read=is_read and world.settings.repositories.read, checkouts=named)
    return world._replace(settings=msgspec.structs.replace(world.settings, repositories=repositories))


def main() -> None:
    parser = command_line(__doc__)
    parser.add_argument("--checkout", action="append", default=[], metavar="NAME=FOLDER")
    options = parser.parse_args()
    missing = [name for name in ("AFTERWIT_JUDGE", "AFTERWIT_CORPUS") if not os.environ.get(name)]
    if missing:
        print(f"Skipped: {' and '.join(missing)} not set (the examiner's script, and the home to replay).")
        return
    home = Path(os.environ["AFTERWIT_CORPUS"]).absolute()
    judge = examiner(home)
    with tempfile.TemporaryDirectory(prefix="afterwit-places-") as folder:
        world = with_checkouts(world_of(home, Path(folder, "store")), options.checkout, is_read=True)
        sweep(world, Options(), Silent())
        report("places", tables(world, judge, home), keep=options.keep)


def examiner(home: Path) -> Mapping[str, Any]:
    """What the examiner's script defines."""
    sys.argv = ["judge", "pool", str(home)]
    with contextlib.redirect_stdout(io.StringIO()):
        return runpy.run_path(os.environ["AFTERWIT_JUDGE"], run_name="judge")


def tables(world: World, judge: Mapping[str, Any], home: Path) -> dict[str, Any]:
    sessions = judge["sessions"](str(home))
    pool = [
        Case(one.id, one.repo, old, len(judge["looking"](one, old[0]))) for one, old in judge["orientation"](sessions)
    ]
    named: dict[str, Named] = {"without checkouts": played(with_checkouts(world, (), is_read=False), PlacesPlayer)[1]}
    named["with checkouts"] = played(world, PlacesPlayer)[1]
    alone, named["git alone"] = played(world, GitAlone)
    named["git grep"], named["ls-files"] = played(world, Searching)[1], played(world, Listing)[1]
    listened, told = played(world, Told)
    for player in ("frequent", "similar"):
        notes = judge["play"](sessions, player, random.Random(_SEED))
        named[f"examiner's {player}"] = {note["session"]: note["files"] for note in notes}
    lying = [
        Case(one.id, one.repo, files, 0)
        for one in sessions
        if (files := [path for path in judge["edited"](one) if path in alone.there.get(one.id, ())])
    ]
    changed = {one.id: judge["edited"](one) for one in sessions}
    return {
        "pool": scored(pool, named),
        "files that lay there": scored(lying, named),
        "told": [told_row(told, listened.prompts, changed)],
    }


def told_row(told: Named, prompts: Mapping[str, str], changed: Named) -> dict[str, Any]:
    lists = [
        [path for path in files if path in changed.get(session, ()) and not is_named(path, prompts[session])]
        for session, files in told.items()
    ]
    right = sum(map(bool, lists))
    return {"sessions": len(prompts), "lists": len(lists), "right": right, "share": right / max(1, len(lists))}


def is_named(path: str, prompt: str) -> bool:
    """By the whole path or by the file's name."""
    return path.rpartition("/")[2].lower() in prompt.lower()


def played(world: World, kind: type[Places]) -> tuple[Places, Named]:
    """A player, and the files that it names, by session."""
    with past_of(world) as past:
        player = kind(past)
        sessions = (one for one in walked(world, [player], READ_BY_EXAMINER, Silent()) if one.is_played)
        return player, {one.outline.here.session: note.files for one in sessions for note in one.notes[player.name]}


def scored(cases: Sequence[Case], named: Mapping[str, Named]) -> list[dict[str, Any]]:
    """Of each player, for all repositories and for each."""
    repos = sorted({case.repo for case in cases})
    return [
        row(player, repo, [case for case in cases if repo in ("all", case.repo)], files)
        for repo in ("all", *repos)
        for player, files in named.items()
    ]


def row(player: str, repo: str, cases: Sequence[Case], named: Named) -> dict[str, Any]:
    recalls = [recall(case, named.get(case.session, ())[:5]) for case in cases]
    spared = [case.searches * (case.files[0] in named.get(case.session, ())[:5]) for case in cases]
    rng = random.Random(_SEED)
    draws = sorted(sum(rng.choices(recalls, k=len(recalls))) / len(recalls) for _ in range(_ROUNDS))
    return {
        "repo": repo,
        "player": player,
        "sessions": len(cases),
        "recall_at_5": round(sum(recalls) / len(recalls), 3),
        "low": round(draws[_ROUNDS // 40], 3),
        "high": round(draws[-_ROUNDS // 40], 3),
        "spared": f"{sum(spared)} of {sum(case.searches for case in cases)}",
    }


def recall(case: Case, files: Sequence[str]) -> float:
    return sum(path in files for path in case.files) / min(5, len(case.files))


if __name__ == "__main__":
    main()
