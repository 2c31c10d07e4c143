"""The exam: is what it knows worth knowing, does it arrive in time, and what else arrives with it?

    python -m bench.exam FOLDER begin --home HOME --past IDS --later IDS [--checkout REPO=PATH] [--requests N]
    python -m bench.exam FOLDER next                 # the next question to the model: a file, or "done"
    python -m bench.exam FOLDER answer NUMBER FILE   # its answer
    python -m bench.exam FOLDER tell                 # replays the later sessions, and writes the sheets for a marker
    python -m bench.exam FOLDER table MARKS.json     # what the marks come to

`begin` learns the history alone. Whoever plays the model sees the questions and nothing else: sessions in order of
time, each with the notes of before, then the one in which the brief is compiled. `tell` adds the later sessions and
replays them by the code that hooks run, with what the model read and without: `told.jsonl` and `told-no-model.jsonl`
hold every line with its session and moment, `pool.jsonl` all notes. Marks are an object: "events", a list of {"id",
"pool", "told", "told_no_model"} with yes, half or no, and "lines", a list of {"variant", "session", "number",
"moment", "mark", "trap"} with the marks useful, noise, junk or harmful. `key.jsonl` has the events, with
`cost_actions`, `cost_turns` and `learnable`, and `key-summary.json` their sums.
"""

import argparse
import json
import shutil
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from afterwit.config.world import World
from afterwit.engine.replay import HookPlayer, past_of
from afterwit.engine.sweep import sweep
from afterwit.knowledge.brief import ENTRIES, pages_of
from afterwit.knowledge.door.list import item_in
from afterwit.measure.backtest import PRODUCT, walked
from afterwit.model.knowledge import READ
from afterwit.model.learn_run import Options
from afterwit.reader.answers import GivenAnswer
from afterwit.reader.plan import PlannedRequest, ReadingPlan, ReadingWish, planned
from afterwit.reader.read import request_body, take
from afterwit.sessions.filters import Filter
from afterwit.sessions.originals import source_of
from afterwit.store.decide import READING_ASKED, decide
from afterwit.store.decisions import in_force
from afterwit.store.rows.items import all_items, recorded_about
from afterwit.store.rows.session_list import Selection, SessionRow, select_sessions
from afterwit.store.store import hold_lease, readonly_database
from bench.worlds import Silent, world_of

MODEL = "exam"
_WEIGHTS = {"yes": 1.0, "half": 0.5, "no": 0.0}
_NO_CAP = 1 << 40


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    commands = parser.add_subparsers(dest="command", required=True)
    begin = commands.add_parser("begin")
    begin.add_argument("--home", type=Path, required=True)
    begin.add_argument("--past", type=Path, required=True)
    begin.add_argument("--later", type=Path, required=True)
    begin.add_argument("--checkout", action="append", default=[], metavar="REPO=PATH")
    begin.add_argument(
        "--requests", type=int, default=0, help="about sessions, those that promise most for each; 0: all"
    )
    commands.add_parser("next")
    answer = commands.add_parser("answer")
    answer.add_argument("number", type=int)
    answer.add_argument("file", type=Path)
    commands.add_parser("tell")
    table = commands.add_parser("table")
    table.add_argument("marks", type=Path)
    options = parser.parse_args()
    exam = Exam(options.folder.absolute())
    if options.command == "begin":
        exam.begin(options.home.absolute(), options.past, options.later, options.checkout, options.requests)
    elif options.command == "next":
        print(exam.ask())
    elif options.command == "answer":
        print(exam.answer(options.number, options.file))
    elif options.command == "tell":
        exam.tell()
    else:
        print(table_of(options.folder, json.loads(options.marks.read_text())))


class Exam:
    """One exam, in its folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._state = folder / "exam.json"
        self._facts: dict[str, Any] = json.loads(self._state.read_text()) if self._state.exists() else {}

    def begin(self, home: Path, past: Path, later: Path, checkouts: list[str], most_requests: int) -> None:
        """Learns the history alone: all that began before the first of the later sessions."""
        past_ids, later_ids = past.read_text().split(), later.read_text().split()
        self._facts = {"home": str(home), "past": past_ids, "later": later_ids, "checkouts": checkouts, "asked": []}
        whole = self._world("whole")
        sweep(whole, Options(), Silent())
        with readonly_database(whole.layout) as db:
            rows = list(select_sessions(db, Selection()))
        began_ms = min(row.started_ms or 0 for row in rows if _is_one_of(row, later_ids))
        repo = Counter(row.repo for row in rows if _is_one_of(row, past_ids)).most_common(1)[0][0]
        hidden = {row.native_id for row in rows if (row.started_ms or 0) >= began_ms and not row.parent}
        ours = self._folder / "home"
        for path in sorted(path for path in home.rglob("*") if path.is_file()):
            if not any(name in str(path.relative_to(home)) for name in hidden):
                copy = ours / path.relative_to(home)
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(path, copy)
        self._facts |= {"repo": repo, "began_ms": began_ms, "own_home": str(ours)}
        world = self._world("store", ours)
        sweep(world, Options(), Silent())
        sessions = self._planned(world).sessions
        kept, left = [], most_requests or _NO_CAP
        for one in sorted(sessions, key=lambda one: -one.value / len(one.requests)):
            if len(one.requests) <= left:
                left -= len(one.requests)
                kept.append(one.session.row.native_id)
        self._facts["read"] = kept
        self._save()
        total = sum(len(one.requests) for one in sessions)
        chosen = sum(len(one.requests) for one in sessions if one.session.row.native_id in kept)
        print(f"{repo}: {len(kept)} of {len(sessions)} sessions to read, {chosen} of {total} requests.")

    def ask(self) -> str:
        """Writes the next question; "done" where everything was asked and answered."""
        world = self._world("store", Path(self._facts["own_home"]))
        made = self._planned(world, is_again=False)
        waiting = [one for one in made.requests if not one.native_id or one.native_id in self._facts["read"]]
        sessions = [one for one in waiting if one.native_id]
        if not sessions and (not self._facts.get("is_compiled") or self._is_draft(world)):
            made = self._planned(world, is_brief=True)
            waiting = made.requests
            self._facts["is_compiled"] = True
        if not waiting:
            return "done"
        wanted: PlannedRequest = waiting[0]
        with hold_lease(world.layout.lease, 60), source_of(world) as source:
            body = request_body(made, wanted, "")
            decide(source.store, READING_ASKED, {"requests": [body]}, world.now_ms)
        number = len(self._facts["asked"]) + 1
        path = self._folder / "questions" / f"{number:03d}.txt"
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"{wanted.request.system}\n\n{wanted.request.text}")
        self._facts["asked"].append(wanted.request.id)
        self._save()
        return str(path)

    def answer(self, number: int, file: Path) -> str:
        """Takes the answer to a question in."""
        world = self._world("store", Path(self._facts["own_home"]))
        text = file.read_text()
        (self._folder / "answers").mkdir(exist_ok=True)
        (self._folder / "answers" / f"{number:03d}.json").write_text(text)
        taken = take(world, [GivenAnswer(self._facts["asked"][number - 1], text)], Silent())
        fates = ", ".join(f"{fate} {count}" for fate, count in taken.fates.items() if count)
        return f"{fates}: {taken.notes} notes, {taken.lines} lines, {taken.rejected} refused"

    def tell(self) -> None:
        """Replays the later sessions with what was read and without, and writes what a marker needs."""
        world = self._world("store")
        sweep(world, Options(), Silent())
        with readonly_database(world.layout) as db:
            notes = [item_in(row) for row in all_items(db)]
            pages = pages_of(in_force(recorded_about(db, (), ENTRIES)))
        pool = [item for item in notes if item.harvester == READ]
        _write(
            self._folder / "pool.jsonl",
            (
                {
                    "id": item.id,
                    "status": item.status,
                    "kind": item.kind,
                    "channel": item.channel,
                    "sentence": item.sentence,
                }
                for item in pool
            ),
        )
        page = pages.get(self._facts["repo"])
        lines = page.lines if page is not None else ()
        _write(self._folder / "lines.jsonl", (msgspec.to_builtins(line) for line in lines))
        for name, with_reading in (("told.jsonl", True), ("told-no-model.jsonl", False)):
            told = list(self._replayed(world, with_reading=with_reading))
            _write(self._folder / name, told)
            sessions = {row["session"] for row in told}
            tokens = sorted(
                sum(len(row["text"]) // 4 for row in told if row["session"].startswith(one))
                for one in self._facts["later"]
            )
            print(f"{name}: {len(told)} lines in {len(sessions)} sessions, median {tokens[len(tokens) // 2]} tokens")

    def _replayed(self, world: World, *, with_reading: bool) -> Iterator[dict[str, Any]]:
        """Every line that a later session is told, with its moment."""
        wanted = Filter(repos=(self._facts["repo"],), since_ms=self._facts["began_ms"])
        with past_of(world, with_reading=with_reading) as past:
            for played in walked(world, [HookPlayer(past)], wanted, Silent()):
                if not played.is_played or not _has_name(played.digest.native_id, self._facts["later"]):
                    continue
                number = 0
                for note in played.notes[PRODUCT]:
                    at = played.calls.index(note.action) + 1 if note.action in played.calls else 0
                    step = played.digest.steps[at - 1].target[:160] if at else ""
                    for text in _lines(note.text):
                        number += 1
                        yield {
                            "session": played.digest.native_id,
                            "number": number,
                            "moment": str(note.moment),
                            "after_action": at,
                            "action": step,
                            "text": text,
                        }

    def _is_draft(self, world: World) -> bool:
        """Whether the page is to be asked about once more, with what its trial showed."""
        with readonly_database(world.layout) as db:
            page = pages_of(in_force(recorded_about(db, (), ENTRIES))).get(self._facts["repo"])
        return page is not None and page.is_draft

    def _planned(self, world: World, *, is_again: bool = False, is_brief: bool = False) -> ReadingPlan:
        wish = ReadingWish(Filter(repos=(self._facts["repo"],)), MODEL, is_again=is_again, is_brief=is_brief)
        with hold_lease(world.layout.lease, 60), source_of(world) as source:
            return planned(source, world, wish, Silent())

    def _world(self, store: str, home: Path | None = None) -> World:
        world = world_of(home or Path(self._facts["home"]), self._folder / store)
        is_replay = home is None  # while it is read, no checkout stands where later sessions left it
        roots = dict(pair.split("=", 1) for pair in self._facts["checkouts"]) if is_replay else {}
        reading = msgspec.structs.replace(
            world.settings.reading, tokens_per_day=_NO_CAP, tokens_per_month=_NO_CAP, model=MODEL
        )
        repositories = msgspec.structs.replace(
            world.settings.repositories, checkouts={name: Path(path) for name, path in roots.items()}
        )
        settings = msgspec.structs.replace(world.settings, reading=reading, repositories=repositories)
        return world._replace(settings=settings, now_ms=time.time_ns() // 1_000_000)

    def _save(self) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        self._state.write_text(json.dumps(self._facts, indent=1))


def _is_one_of(row: SessionRow, names: Iterable[str]) -> bool:
    return _has_name(row.native_id, names)


def _has_name(native_id: str, names: Iterable[str]) -> bool:
    """Ids may be given by their beginnings."""
    return any(native_id.startswith(name) for name in names)


def _lines(text: str) -> list[str]:
    """The lines of a block that say something by themselves."""
    return [line for line in text.splitlines() if line.startswith("- ")]


def _write(path: Path, rows: Iterable[Any]) -> None:
    path.write_text("".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows))


def table_of(folder: Path, marks: dict[str, Any]) -> str:
    """What marks come to: spared by the pool and by what was told, and lines by mark and moment."""
    key = {row["id"]: row for row in map(json.loads, (folder / "key.jsonl").read_text().splitlines())}
    facts = json.loads((folder / "key-summary.json").read_text())
    rows = [f"{facts['sessions']} sessions, {facts['actions']} actions, {facts['turns']} turns"]
    for name in ("pool", "told", "told_no_model"):
        actions = turns = plain = 0.0
        for event in marks["events"]:
            row, share = key[event["id"]], _WEIGHTS[event.get(name, "no")]
            actions += share * row["cost_actions"]
            turns += share * row["cost_turns"]
            plain += share * row["cost_turns"] * (row["learnable"] == "yes")
        of = 1000 * actions / facts["actions"]
        rows.append(
            f"{name}: {actions:.1f} actions spared, {of:.1f} in 1,000; {turns:.1f} turns, {plain:.1f} learnable"
        )
    for variant in ("told", "told_no_model"):
        told = [line for line in marks["lines"] if line["variant"] == variant]
        for place in ("start", "later"):
            counted = Counter(line["mark"] for line in told if (line["moment"] == "start") == (place == "start"))
            total = sum(counted.values())
            shares = ", ".join(f"{mark} {counted[mark]} ({counted[mark] / max(1, total):.2f})" for mark in _MARKS)
            rows.append(f"{variant}, {place}: {total} lines; {shares}")
        rows.append(f"{variant}: {sum(bool(line.get('trap')) for line in told)} lines state a trap")
    return "\n".join(rows)


_MARKS = ("useful", "noise", "junk", "harmful")

if __name__ == "__main__":
    main()
