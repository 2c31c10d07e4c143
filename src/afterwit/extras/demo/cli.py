"""`afterwit demo`: what Afterwit does, for people who have no logs yet."""

import datetime as dt
import shlex
import sys
import tempfile
import time
from pathlib import Path

import click

from afterwit.cli.commands import ExitCode, command
from afterwit.cli.learned import show_report
from afterwit.cli.measure.backtest import show_moments
from afterwit.cli.terminal.options import Here, json_option, own_command
from afterwit.cli.terminal.output import print_json, print_line, print_text
from afterwit.cli.terminal.progress import bar
from afterwit.engine.replay import past_of, players_named
from afterwit.extras.demo.run import SHOWN, Demo, DemoPlace, demo_of, learn_demo, remove_demo, write_demo
from afterwit.measure.backtest import PRODUCT, backtest
from afterwit.recall.recall import recalled
from afterwit.sessions.filters import Filter

_REPO = "orchard"
_ITEM = "79f4ed"  # the first item of that repository
TRIES = (
    ("sessions list", "all agents in one table"),
    (f"sessions show {SHOWN}", "a session with its subagent"),
    (f"sessions show --digest {SHOWN}", "failures, fixes, files, outcome"),
    ("sessions search pytest", "who met it, and what was said"),
    ("sessions cost --by repo", "what it cost"),
    ("sessions repos", "how repositories were recognised"),
    ("knowledge list", "what was learned"),
    (f"knowledge why {_ITEM}", "what stands behind a note"),
    (f"recall --repo {_REPO}", "what a session there is told"),
    ("sample --count 5", "what to read first"),
    ("measure backtest", "where it would have helped"),
    ("doctor", "whether anything is missed"),
    ("store verify", "whether the store is sound"),
    ("learn", "a second run finds nothing new"),
)


@command(
    examples=(
        "afterwit demo",
        "afterwit demo --to ~/afterwit-demo --day 2026-05-01",
        "afterwit demo --remove ~/afterwit-demo",
    ),
    exits={ExitCode.WRONG_USE: "Wrong use: an unknown option, a folder in use, or one that no demo wrote."},
)
@click.option(
    "--to",
    "folder",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="Write it to this folder, which is new or empty. Default: a new temporary folder.",
)
@click.option(
    "--day",
    type=click.DateTime(["%Y-%m-%d"]),
    metavar="DATE",
    help="The day of the demo, in UTC; sessions lie in the weeks before it. Default: today.",
)
@click.option(
    "--remove",
    "removed",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="Remove this folder of an earlier demo instead.",
)
@json_option
def demo(folder: Path | None, day: dt.datetime | None, removed: Path | None, is_json: bool) -> None:
    """Show what Afterwit does, on invented sessions.

    Writes a home folder with sessions of several agents in three repositories, and learns from it. Your own logs and
    your own store are not touched. The folder is left for you to look around in.
    """
    if removed is not None:
        if folder is not None:
            raise click.UsageError("--to and --remove exclude each other.")
        remove_demo(removed)
        _say_removed(removed, is_json=is_json)
        return
    target = Path(tempfile.mkdtemp(prefix="afterwit-demo-")) if folder is None else folder.expanduser().absolute()
    now_ms = time.time_ns() // 1_000_000
    today = day or dt.datetime.fromtimestamp(now_ms / 1000, tz=dt.UTC)
    place = DemoPlace(target, sys.platform)
    write_demo(place, today.date(), own_command())
    _learn(place, now_ms, is_json=is_json)


def _learn(place: DemoPlace, now_ms: int, *, is_json: bool) -> None:
    invented = demo_of(place, now_ms)
    with bar("learning") as progress:
        report = learn_demo(invented, progress)
    if is_json:
        places = {"folder": place.folder, "home": place.home, "store": place.store, "script": place.script}
        print_json({**{name: str(path) for name, path in places.items()}, "report": report})
        return
    print_line(f"An invented home is in {place.home}. This is what `afterwit learn` says of it:\n")
    show_report(Here(invented.configured, invented.world), report, None, has_next=False)
    _recall(invented)
    _replay(invented)
    _invite(place)


def _recall(invented: Demo) -> None:
    print_line(f"\nA session in `{_REPO}` would be told this at its start, once its agent is connected:\n")
    for line in recalled(invented.world, invented.world.user_home, _REPO, "", "", None).start.text.splitlines():
        print_text(f"  {line}")


def _replay(invented: Demo) -> None:
    print_line("\nHad it been connected from the first day, `afterwit measure backtest` says:\n")
    with past_of(invented.world) as past, bar("replaying", "sessions") as progress:
        result = backtest(invented.world, players_named((PRODUCT,), past), Filter(), progress)
    show_moments(result.moments, invented.world.calendar)


def _invite(place: DemoPlace) -> None:
    folder = shlex.quote(str(place.folder))
    print_line("Look around. The script there runs afterwit on the demo and on nothing else:\n")
    print_line(f"  cd {folder}")
    width = max(len(arguments) for arguments, _ in TRIES)
    for arguments, why in TRIES:
        print_line(f"  ./{place.script.name} {arguments:<{width}}  # {why}")
    print_line(f"\nRemove it with: {shlex.join(own_command())} demo --remove {folder}")


def _say_removed(folder: Path, *, is_json: bool) -> None:
    if is_json:
        print_json({"removed": str(folder)})
    else:
        print_line(f"Removed {folder}.")
