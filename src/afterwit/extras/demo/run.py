"""The invented home folder of the demo with its three repositories: made, written into a folder, learned from, removed.

Always the same for the same day and the same folder. Sessions lie in the weeks before the day. Nothing of the user's
own is read or written: the run has an environment of its own, with the demo's home and store and nothing else. A script
beside them runs any command in that environment.
"""

import datetime as dt
import os
import shlex
import shutil
import subprocess
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from afterwit.agents.registry import AGENTS
from afterwit.config.show import Configured, load
from afterwit.config.world import World
from afterwit.engine.sweep import sweep
from afterwit.extras.demo import claude_code, codex, hermes
from afterwit.extras.demo.script import DemoAgent, DemoSession, file_stamp
from afterwit.extras.demo.stories import ALMANAC, HARBOUR, HARVEST_CODE, MOON, ORCHARD, ROUTES_CODE
from afterwit.model.errors import UsageError
from afterwit.model.learn_run import Options, Progress, Report
from afterwit.store.layout import Layout


class Repo(NamedTuple):
    name: str
    remote: str  # "" for one that was never pushed
    files: dict[str, str]


REPOS = (
    Repo(
        "orchard",
        "git@github.com:acme/orchard.git",
        {
            "README.md": "# orchard\n\nKeeps book of trees. Tests: `uv run pytest`.\n",
            "pyproject.toml": '[project]\nname = "orchard"\nversion = "0.4"\n\n[tool.ruff.lint]\nselect = ["DTZ"]\n',
            "src/orchard/harvest.py": HARVEST_CODE,
            "tests/test_harvest.py": "def test_nothing() -> None: ...\n",
        },
    ),
    Repo(
        "harbour",
        "https://github.com/acme/harbour.git",
        {
            "README.md": "# harbour\n\nBerths and boats. Tests: `pnpm test`.\n",
            "package.json": '{\n  "name": "harbour",\n  "packageManager": "pnpm@10.2.0"\n}\n',
            "openapi.yaml": "openapi: 3.1.0\npaths: {}\n",
            "src/routes/berths.ts": ROUTES_CODE,
        },
    ),
    Repo("almanac", "", {"mkdocs.yml": "site_name: Almanac\nstrict: true\n", "docs/moon.md": MOON}),
)


def _checkout(repo: Repo) -> dict[PurePosixPath, bytes]:
    """The checkout, with just enough of `.git` to be one."""
    config = "[core]\n\trepositoryformatversion = 0\n"
    if repo.remote:
        config += f'[remote "origin"]\n\turl = {repo.remote}\n'
    git = {".git/HEAD": "ref: refs/heads/main\n", ".git/config": config, ".git/objects/info/packs": "\n"}
    return {PurePosixPath(path): text.encode() for path, text in {**repo.files, **git}.items()}


SESSIONS: tuple[DemoSession, ...] = (*ORCHARD, *HARBOUR, *ALMANAC)
SHOWN = claude_code.native_id("orchard frost warning")[:8]  # one to look at: it has a bit of everything
_AUTHOR = b"[user]\n\tname = Robin Marsh\n\temail = robin@marsh.example\n"
_BY_NAME = {session.name: session for session in SESSIONS}
_REMOTES = {repo.name: repo.remote for repo in REPOS}


class DemoFile(NamedTuple):
    content: bytes
    at_ms: int  # when it was last written


def home_files(day: dt.date, home: str) -> dict[PurePosixPath, DemoFile]:
    """Every file of the home, by its path below it. `home` is where the home will be: logs name folders."""
    today_ms = _start_ms(day, 0, "00:00")
    written = {PurePosixPath(".gitconfig"): DemoFile(_AUTHOR, today_ms)}
    for repo in REPOS:
        for path, content in _checkout(repo).items():
            written["src" / PurePosixPath(repo.name) / path] = DemoFile(content, today_ms)
    for session in SESSIONS:
        start_ms = _start_ms(day, session.days_ago, session.at)
        for path, content in _session_files(session, day, start_ms, home).items():
            written[path] = DemoFile(content, start_ms)
    return written | _without_reader(day)


def _session_files(session: DemoSession, day: dt.date, start_ms: int, home: str) -> dict[PurePosixPath, bytes]:
    cwd = session.folder or f"{home}/src/{session.repo}"
    parent = _BY_NAME.get(session.fork_of)
    trunk = (parent, _start_ms(day, parent.days_ago, parent.at)) if parent else None
    match session.agent:
        case DemoAgent.CLAUDE_CODE:
            folder, files = ".claude", claude_code.files(session, start_ms, cwd, trunk)
        case DemoAgent.CODEX:
            folder, files = ".codex", codex.files(session, start_ms, cwd, _REMOTES[session.repo], trunk)
        case DemoAgent.HERMES:
            folder, files = ".hermes", hermes.files(session, start_ms, cwd)
    return {folder / path: content for path, content in files.items()}


def _without_reader(day: dt.date) -> dict[PurePosixPath, DemoFile]:
    """A log in a form that cannot be read yet, to show that it is noticed."""
    at_ms = _start_ms(day, 5, "10:00")
    name = f"rollout-{file_stamp(at_ms, '%Y-%m-%dT%H-%M-%S')}-0a1b2c3d.json"
    return {PurePosixPath(".codex/sessions", name): DemoFile(b'{"session":{"id":"0a1b2c3d"},"items":[]}', at_ms)}


def _start_ms(day: dt.date, days_ago: int, at: str) -> int:
    moment = dt.datetime.combine(day - dt.timedelta(days=days_ago), dt.time.fromisoformat(at), dt.UTC)
    return int(moment.timestamp()) * 1000


_MARK = "afterwit-demo.txt"
_ABOUT = "Everything in this folder was invented by `afterwit demo`. It can be deleted.\n"
_CONFIG = '[domains]\nfruit = ["github.com/acme/orchard"]\nsea = ["github.com/acme/harbour"]\n'


class DemoPlace(NamedTuple):
    folder: Path
    platform: str

    @property
    def home(self) -> Path:
        return self.folder / "home"

    @property
    def store(self) -> Path:
        return self.folder / "store"

    @property
    def script(self) -> Path:
        return self.folder / ("afterwit.cmd" if self.platform == "win32" else "afterwit")


class Demo(NamedTuple):
    configured: Configured
    world: World


def write_demo(place: DemoPlace, day: dt.date, command: tuple[str, ...]) -> None:
    """Fills a folder that is empty or not there yet. `command` starts afterwit."""
    folder = place.folder
    if folder.is_symlink() or (folder.exists() and (not folder.is_dir() or any(folder.iterdir()))):
        raise UsageError(f"{folder} is there already and not empty. Name a new folder.")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / _MARK).write_text(_ABOUT, encoding="utf-8")
    for path, file in home_files(day, place.home.as_posix()).items():
        target = place.home / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(file.content)
        os.utime(target, (file.at_ms / 1000, file.at_ms / 1000))
    place.store.mkdir(mode=0o700)
    (place.store / "config.toml").write_text(_CONFIG, encoding="utf-8")
    (place.store / "config.toml").chmod(0o600)
    place.script.write_text(script_text(place, command), encoding="utf-8")
    place.script.chmod(0o755)


def demo_of(place: DemoPlace, now_ms: int) -> Demo:
    environ = {"HOME": str(place.home), "USERPROFILE": str(place.home), "AFTERWIT_HOME": str(place.store)}
    configured = load(environ, place.platform)
    return Demo(configured, World(Layout(place.store), configured.settings, place.home, environ, now_ms))


def learn_demo(demo: Demo, progress: Progress) -> Report:
    return sweep(demo.world, Options(), progress)


def remove_demo(folder: Path) -> None:
    """Removes a folder that a demo wrote, and no other."""
    if folder.is_symlink() or not (folder / _MARK).is_file():
        raise UsageError(f"{folder} was not written by `afterwit demo`; nothing was removed.")
    shutil.rmtree(folder)


def script_text(place: DemoPlace, command: tuple[str, ...]) -> str:
    """A script that runs afterwit on the demo, whatever the surroundings say."""
    moved = sorted({variable.name for agent in AGENTS for variable in agent.variables})
    foreign = ["AFTERWIT_CONFIG", "AFTERWIT_PROFILE", *moved]
    if place.platform == "win32":
        own = (f'@set "USERPROFILE={place.home}"', f'@set "AFTERWIT_HOME={place.store}"')
        cleared = [f'@set "{name}="' for name in foreign]
        return "\r\n".join([*cleared, *own, f"@{subprocess.list2cmdline(command)} %*", ""])
    own = (f"export HOME={shlex.quote(str(place.home))}", f"export AFTERWIT_HOME={shlex.quote(str(place.store))}")
    return "\n".join(["#!/bin/sh", f"unset {' '.join(foreign)}", *own, f'exec {shlex.join(command)} "$@"', ""])
