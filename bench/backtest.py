"""`make backtest`: the product and all baselines over one home, scored side by side by an outside examiner.

    AFTERWIT_JUDGE=judge.py AFTERWIT_CORPUS=HOME python -m bench.backtest

Learns the home into a temporary store, replays it through every player, and lets the examiner score the notes and those
of its own players. The cost of the replay stands beside that of learning and of digesting alone. Where the examiner or
the home is not named it says so and ends well.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from afterwit.config.world import World
from afterwit.digest.digester import digest
from afterwit.engine.replay import PLAYERS, past_of, players_named
from afterwit.engine.sweep import sweep
from afterwit.measure.backtest import NotesFile, StoredHistory, backtest, own_files
from afterwit.model.learn_run import Options
from afterwit.sessions.filters import Filter
from afterwit.store.store import readonly_database
from bench.results import command_line, report
from bench.worlds import Silent, world_of

READ_BY_EXAMINER = Filter(agents=("claude-code", "codex"))  # others are learned from and not played
THEIRS = ("nothing", "frequent", "similar", "memoriser", "echo", "static")


def main() -> None:
    options = command_line(__doc__).parse_args()
    missing = [name for name in ("AFTERWIT_JUDGE", "AFTERWIT_CORPUS") if not os.environ.get(name)]
    if missing:
        print(f"Skipped: {' and '.join(missing)} not set (the examiner's script, and the home to replay).")
        return
    home = Path(os.environ["AFTERWIT_CORPUS"]).absolute()
    with tempfile.TemporaryDirectory(prefix="afterwit-backtest-") as folder:
        found = table(home, Path(folder))
    report("backtest", found, keep=options.keep)


def table(home: Path, folder: Path) -> dict[str, Any]:
    world = world_of(home, folder / "store")
    learn_s = cpu_s(lambda: sweep(world, Options(), Silent()))
    digest_s = cpu_s(lambda: digest_all(world))
    notes = NotesFile(folder / "{player}.jsonl", PLAYERS, own_files(world))
    replay_s = cpu_s(lambda: replay_all(world, notes))
    ours = [row(f"our {name}", judged(home, folder / f"{name}.jsonl")) for name in PLAYERS]
    theirs = [row(f"examiner's {name}", judged(home, written(home, folder, name))) for name in THEIRS]
    costs = {"learn_cpu_s": learn_s, "digest_cpu_s": digest_s, "backtest_cpu_s": replay_s}
    ratios = {"backtest_of_learn": replay_s / learn_s, "backtest_of_digest": replay_s / digest_s}
    return {"players": ours + theirs, **costs, **ratios}


def cpu_s(work: Any) -> float:
    """CPU seconds, those of ended children included."""
    before = os.times()
    work()
    return sum(os.times()[:4]) - sum(before[:4])


def replay_all(world: World, notes: NotesFile) -> None:
    with past_of(world) as past:
        backtest(world, players_named((), past), READ_BY_EXAMINER, Silent(), notes)


def digest_all(world: World) -> None:
    with readonly_database(world.layout) as db:
        history = StoredHistory(db, world)
        for one in history.outlines:
            digest(history.material(one.key))


def written(home: Path, folder: Path, player: str) -> Path:
    path = folder / f"examiner-{player}.jsonl"
    path.write_text(examiner("play", str(home), player))
    return path


def judged(home: Path, notes: Path) -> dict[str, Any]:
    return dict(json.loads(examiner("score", str(home), str(notes), "--json")))


def examiner(*arguments: str) -> str:
    command = [sys.executable, os.environ["AFTERWIT_JUDGE"], *arguments]
    return subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout


def row(name: str, found: dict[str, Any]) -> dict[str, Any]:
    files, commands, noise, headline = (found[part] for part in ("files", "commands", "noise", "headline"))
    low, high = headline["interval"]
    return {
        "player": name,
        "saved_per_1000": headline["actions_saved_per_1000"],
        "low": low,
        "high": high,
        "recall_at_5": files["recall_at_5"],
        "precision_at_5": shown(files["precision_at_5"]),
        "spared": files["of_these_spared"],
        "net_tokens_per_1000": headline["net_tokens_saved_per_1000_actions"],
        "covered": commands["covered"],
        "covered_without_largest": shown(commands["covered_without_largest"]),
        "right": shown(commands["right"]),
        "rules": found["rules"]["reminded"],
        "false_alarms": shown(noise["false_alarms"]),
        "notes_per_100": noise["notes_per_100_actions"],
        "quiet_disturbed": shown(noise["quiet_sessions_disturbed"]),
        "unknown_actions": found["notes"]["on_unknown_actions"],
    }


def shown(value: float | None) -> float | str:
    return "-" if value is None else value


if __name__ == "__main__":
    main()
