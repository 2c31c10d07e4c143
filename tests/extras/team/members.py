"""People who work on one repository, each with a home, a store and a checkout of their own, and real git between."""

import os
import subprocess
from pathlib import Path
from typing import NamedTuple

from tests.homes import world_of

from afterwit.capture.checkouts import GitCheckout
from afterwit.config.world import World
from afterwit.engine.curation.curate import Judged, Words, add, judge
from afterwit.extras.team.place import init
from afterwit.extras.team.pull import Pulled, pull
from afterwit.extras.team.push import PLAINLY, Pushed, PushRequest, push
from afterwit.knowledge.door.list import ItemFilter, listed
from afterwit.model.knowledge import Category, Item, Scope, ScopeKind
from afterwit.store.decisions import DecisionKind

REPO = "orchard"
HERE = Scope(ScopeKind.REPO, REPO)


class Member(NamedTuple):
    world: World
    place: GitCheckout

    def adds(self, sentence: str, scope: Scope = HERE) -> Judged:
        return add(self.world, Words(sentence=sentence, category=Category.PITFALL, scope=scope))

    def decides(self, decision: DecisionKind, sentence: str) -> None:
        judge(self.world, decision, [self.note(sentence).id])

    def begins(self, url: str = "") -> None:
        init(self.world, self.place, url)

    def pushes(self, request: PushRequest = PLAINLY) -> Pushed:
        done = push(self.world, self.place, lambda _: True, request)
        assert done is not None
        (pushed,) = done
        return pushed

    def pulls(self) -> Pulled:
        (pulled,) = pull(self.world, self.place)
        return pulled

    @property
    def notes(self) -> dict[str, Item]:
        return {item.sentence: item for item in listed(self.world, ItemFilter()).items}

    def note(self, sentence: str) -> Item:
        return self.notes[sentence]

    def later(self, minutes: int) -> "Member":
        return self._replace(world=self.world._replace(now_ms=self.world.now_ms + 60_000 * minutes))


def member(folder: Path, name: str, checkout: Path | None = None, config: str = "") -> Member:
    """Somebody new; `checkout` is shared with others, or a new one of their own."""
    home, store = folder / name / "home", folder / name / "store"
    home.mkdir(parents=True)
    store.mkdir(mode=0o700)
    (home / ".gitconfig").write_text(
        f"[user]\n  name = {name}\n  email = {name}@example.org\n[init]\n  defaultBranch = main\n", encoding="utf-8"
    )
    (store / "config.toml").write_text(config, encoding="utf-8")
    root = checkout or folder / name / REPO
    if not (root / ".git").exists():
        root.mkdir(parents=True, exist_ok=True)
        git(root, home, "init", "--quiet")
    world = world_of(home, store, {"PATH": os.environ["PATH"]})
    return Member(world, GitCheckout(REPO, root, root / ".git"))


def git(folder: Path, home: Path, *words: str) -> str:
    environ = {"PATH": os.environ["PATH"], "HOME": str(home), "GIT_CONFIG_NOSYSTEM": "1"}
    done = subprocess.run(
        ("git", "-C", str(folder), *words), env=environ, capture_output=True, text=True, check=True, timeout=60
    )
    return done.stdout


def remote(folder: Path, home: Path) -> Path:
    """A bare repository that others push to."""
    bare = folder / "notes.git"
    bare.mkdir()
    git(bare, home, "init", "--quiet", "--bare", "--initial-branch=main")
    return bare
