"""How long the server takes for each page, at a store of so many sessions.

    python -m bench.web [--sessions N] [--rounds N] [--store FOLDER --home FOLDER] [--keep]

Server time alone: from the request behind the checks to the answer, as the page's own `Server-Timing` tells it; and the
processor time that it took, which a busy machine does not stretch. What `afterwit web` makes ready at its start is made
ready before; then each page is asked for once, which is told apart, and several times in turns. The clock stands an
hour after the last session, as for somebody who uses agents every day. Common, rare and half words are found in the
store itself. Without `--store` an invented home is learned first, which takes long for many sessions.
"""

import asyncio
import re
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from afterwit.cli.connect.agents import this_machine
from afterwit.cli.terminal.options import Here
from afterwit.config.show import load
from afterwit.config.world import World
from afterwit.knowledge.door.list import ItemFilter, listed
from afterwit.sessions.filters import Filter
from afterwit.sessions.list import Order, list_sessions
from afterwit.store.layout import Layout
from afterwit.store.rows.session_list import Selection, times_of_sessions
from afterwit.store.rows.texts import totals
from afterwit.store.store import readonly_database
from afterwit.web.answering import WebPlace, session_path
from afterwit.web.safety import Guarded, Secrets
from afterwit.web.serve import make_app
from bench.homes import write_home
from bench.processes import afterwit
from bench.results import command_line, report

SESSIONS = 1_000
COMMON = "tests"
ROUNDS = 9
GOAL_MS = 100.0  # of server time, in the median
PORT = 1
_HOUR_MS = 3_600_000
_SOME_WORDS = 4_000  # that a rare one is looked for among
_SPENT = re.compile(r"dur=([\d.]+)")


def table(home: Path, store: Path, rounds: int = ROUNDS) -> dict[str, object]:
    """The median and the worst of each page."""
    environ = {"HOME": str(home), "AFTERWIT_HOME": str(store)}

    now_ms = _after_all(store)

    def open_place() -> WebPlace:
        configured = load(environ, sys.platform)
        layout = Layout(configured.place.store)
        world = World(layout, configured.settings, home, environ, now_ms, configured.declared)
        return WebPlace(configured, world, this_machine(Here(configured, world)))

    asking = _Asking(open_place)
    pages = _pages(open_place().world)
    times: dict[str, list[float]] = {name: [] for name in pages}
    working: dict[str, list[float]] = {name: [] for name in pages}
    for _ in range(rounds + 1):
        for name, path in pages.items():
            begun = time.process_time()
            times[name].append(asking.server_ms(path))
            working[name].append((time.process_time() - begun) * 1000)
    rows = [
        {
            "page": name,
            "p50_ms": statistics.median(spent[1:]),
            "worst_ms": max(spent[1:]),
            "first_ms": spent[0],
            "p50_cpu_ms": statistics.median(working[name][1:]),
            "first_cpu_ms": working[name][0],
            "verdict": "met" if statistics.median(spent[1:]) <= GOAL_MS else "missed",
        }
        for name, spent in times.items()
    ]
    sessions = list_sessions(open_place().world, Filter(), Order.START, 1).found
    middle = statistics.median([time_ms for spent in times.values() for time_ms in spent[1:]])
    middle_cpu = statistics.median([time_ms for spent in working.values() for time_ms in spent[1:]])
    figures: dict[str, object] = {"sessions": sessions, "rounds": rounds}
    return figures | {"p50_of_all_ms": middle, "p50_of_all_cpu_ms": middle_cpu, "pages": rows}


def _after_all(store: Path) -> int:
    with readonly_database(Layout(store)) as db:
        latest_ms = times_of_sessions(db, Selection()).latest_ms
    return (latest_ms or 0) + _HOUR_MS


def _pages(world: World) -> dict[str, str]:
    longest = list_sessions(world, Filter(), Order.ACTIONS, 1).sessions[0].row
    repo = longest.repo
    path = session_path(longest.agent, longest.native_id)
    rare = _rare_word(world)
    note = next((f"/knowledge/{item.id}" for item in listed(world, ItemFilter(), 1).items), "/knowledge")
    return {
        "today": "/",
        "knowledge": "/knowledge",
        "knowledge, all, page 3": "/knowledge?status=all&page=3",
        "knowledge, said by users": "/knowledge?status=all&origin=user-typed",
        "a note": note,
        "told": f"/knowledge/told?repo={repo}",
        "sessions": "/sessions",
        "sessions of a repository": f"/sessions?repo={repo}",
        "sessions, page 20": "/sessions?page=20",
        "sessions, most failures": "/sessions?sort=failures",
        "transcript": path,
        "transcript, its middle": f"{path}?from={longest.events // 3}",
        "prompts": path.replace("/sessions/", "/prompts/", 1),
        f"search, common ({COMMON})": f"/search?q={COMMON}",
        f"search, two words (error {COMMON})": f"/search?q=error+{COMMON}",
        f"search, rare ({rare})": f"/search?q={rare}",
        f"search, 3 letters ({COMMON[:3]})": f"/search?q={COMMON[:3]}",
        f"search, 3 letters ({COMMON[:3]}*)": f"/search?q={COMMON[:3]}*",
        "search, 3 letters (the*)": "/search?q=the*",
        f"search, common ({COMMON}), one repository": f"/search?q={COMMON}&repo={repo}",
        f"search, common ({COMMON}), prompts": f"/search?q={COMMON}&kind=prompt",
        "proof": "/proof",
        "more": "/more",
        "settings": "/more/settings",
    }


def _rare_word(world: World) -> str:
    """A word with a few matches, of those that begin like ids and the like do."""
    with readonly_database(world.layout) as db:
        rows = db.execute("SELECT term FROM text_words WHERE term >= 'f' AND term < 'g' LIMIT ?", (_SOME_WORDS,))
        words = [row[0] for row in rows]
        found = (word for word in words if 1 < totals(db, f'"{word}"', Selection(), "").matches < 10)
        return next(found, words[-1] if words else "zyzzyva")


class _Asking:
    def __init__(self, open_place: Any) -> None:
        keys = Secrets()
        self._app = Guarded(make_app(open_place, keys.csrf), keys, PORT, lambda _: False)
        self._cookie = f"afterwit_{PORT}={keys.cookie}"

    def server_ms(self, path: str) -> float:
        parts = urlsplit(path)
        headers = [(b"host", f"127.0.0.1:{PORT}".encode()), (b"cookie", self._cookie.encode())]
        scope = {"type": "http", "method": "GET", "path": parts.path, "query_string": parts.query.encode()}
        scope |= {"headers": headers, "server": ("127.0.0.1", PORT), "scheme": "http", "http_version": "1.1"}
        messages: list[Any] = []

        async def receive() -> dict[str, str]:
            return {"type": "http.disconnect"}

        async def send(message: Any) -> None:
            messages.append(message)

        asyncio.run(self._app(scope, receive, send))
        start = messages[0]
        assert start["status"] == 200, (path, start["status"])
        spent = _SPENT.search(dict(start["headers"])[b"server-timing"].decode())
        assert spent is not None
        return float(spent[1])


@contextmanager
def _learned(sessions: int) -> Iterator[tuple[Path, Path]]:
    with tempfile.TemporaryDirectory(prefix="afterwit-bench-") as folder:
        home, store = Path(folder, "home"), Path(folder, "store")
        write_home(home, sessions)
        afterwit(home, store, "learn")
        yield home, store


def main() -> None:
    line = command_line(__doc__)
    line.add_argument("--sessions", type=int, default=SESSIONS)
    line.add_argument("--rounds", type=int, default=ROUNDS)
    line.add_argument("--store", type=Path)
    line.add_argument("--home", type=Path, default=Path("/nowhere"))
    asked = line.parse_args()
    if asked.store is not None:
        report("web", table(asked.home, asked.store, asked.rounds), keep=asked.keep)
        return
    with _learned(asked.sessions) as (home, store):
        report("web", table(home, store, asked.rounds), keep=asked.keep)


if __name__ == "__main__":
    main()
