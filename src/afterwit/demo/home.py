"""The whole home folder of the demo, with its three repositories, as data: path → bytes.

Always the same for the same day and the same folder. Sessions lie in the weeks before the day. All of it is invented.
"""

import datetime as dt
from pathlib import PurePosixPath
from typing import NamedTuple

from afterwit.demo import almanac, claude_code, codex, harbour, hermes, orchard
from afterwit.demo.script import DemoAgent, DemoSession, file_stamp


class Repo(NamedTuple):
    name: str
    remote: str  # "" for one that was never pushed
    files: dict[str, str]


REPOS = (
    Repo(
        orchard.REPO,
        "git@github.com:acme/orchard.git",
        {
            "README.md": "# orchard\n\nKeeps book of trees. Tests: `uv run pytest`.\n",
            "pyproject.toml": '[project]\nname = "orchard"\nversion = "0.4"\n\n[tool.ruff.lint]\nselect = ["DTZ"]\n',
            "src/orchard/harvest.py": orchard.HARVEST_CODE,
            "tests/test_harvest.py": "def test_nothing() -> None: ...\n",
        },
    ),
    Repo(
        harbour.REPO,
        "https://github.com/acme/harbour.git",
        {
            "README.md": "# harbour\n\nBerths and boats. Tests: `pnpm test`.\n",
            "package.json": '{\n  "name": "harbour",\n  "packageManager": "pnpm@10.2.0"\n}\n',
            "openapi.yaml": "openapi: 3.1.0\npaths: {}\n",
            "src/routes/berths.ts": harbour.ROUTES_CODE,
        },
    ),
    Repo(
        almanac.REPO,
        "",
        {"mkdocs.yml": "site_name: Almanac\nstrict: true\n", "docs/moon.md": almanac.MOON},
    ),
)


def files(repo: Repo) -> dict[PurePosixPath, bytes]:
    """The checkout, with just enough of `.git` to be one."""
    config = "[core]\n\trepositoryformatversion = 0\n"
    if repo.remote:
        config += f'[remote "origin"]\n\turl = {repo.remote}\n'
    git = {".git/HEAD": "ref: refs/heads/main\n", ".git/config": config, ".git/objects/info/packs": "\n"}
    return {PurePosixPath(path): text.encode() for path, text in {**repo.files, **git}.items()}


SESSIONS: tuple[DemoSession, ...] = (*orchard.SESSIONS, *harbour.SESSIONS, *almanac.SESSIONS)
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
        for path, content in files(repo).items():
            written["src" / PurePosixPath(repo.name) / path] = DemoFile(content, today_ms)
    for session in SESSIONS:
        start_ms = _start_ms(day, session.days_ago, session.at)
        for path, content in _written(session, day, start_ms, home).items():
            written[path] = DemoFile(content, start_ms)
    return written | _without_reader(day)


def _written(session: DemoSession, day: dt.date, start_ms: int, home: str) -> dict[PurePosixPath, bytes]:
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
