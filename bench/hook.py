"""What a hook costs: a cold process each time, beside a bare interpreter, with a deck of 100,000 lines.

Run as `python -m bench.hook [--lines N] [--rounds N]`. The kinds of calls take turns, so that a busy moment of the
machine hits all of them. *no match* is what nearly every call is. After a known failure, and before a command that is
refused, the parser and the patterns of signatures are loaded. The repository has 400 past sessions, 1,000 commits and
20,000 files, whose words are indexed. A prompt comes to a session that was told of its start, or to one that was not
and is told both at once.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import msgspec

from afterwit.capture.checkouts import GitCheckout
from afterwit.knowledge.check_forms import check_from
from afterwit.model.knowledge import Authority, Scope, ScopeKind, Trigger
from afterwit.recall.deck.deck_checks import DeckedCheck
from afterwit.recall.deck.firing_lines import FiringLine
from afterwit.recall.deck.write import DeckBlock, DeckContent, DeckSettings, write_deck
from afterwit.recall.holdout import holdout_key
from afterwit.recall.place_index import PlaceSighting
from afterwit.recall.prompt_block import BlockLine, BlockSection
from afterwit.recall.repository import history_sightings, tree_file, update_checkout
from afterwit.redaction.redaction import Redactor
from afterwit.redaction.shown import of_deck
from afterwit.store.layout import Layout, redaction_key
from bench.prompts import SESSIONS, TASK, history
from bench.results import command_line, report
from bench.trees import make_repository

_REPOS = 50
_REPO = "example.org/team/project-1"
FILES, COMMITS = 20_000, 1_000
_START, _PROMPT = "start", f"prompt, {SESSIONS} sessions, {COMMITS:,} commits, {FILES:,} files"
_MAIN = "from afterwit.recall.hook.entry import main; main()"


class Row(msgspec.Struct):
    call: str
    wall_ms: float
    of_bare: float
    cpu_ms: float


class Hooks(msgspec.Struct):
    lines: int
    deck_mb: float
    compile_s: float
    calls: list[Row]


def table(lines: int = 100_000, rounds: int = 41) -> list[Hooks]:
    """All figures, medians."""
    with tempfile.TemporaryDirectory(prefix="afterwit-bench-") as folder:
        layout, project = Layout(Path(folder, "store")), Path(folder, "project")
        layout.create()
        sightings = indexed(layout, project)
        started = time.perf_counter()
        write_deck(layout.deck, deck_of(lines, project, holdout_key(redaction_key(layout)), sightings))
        compile_s = time.perf_counter() - started
        calls = _calls(str(project))
        taken: dict[str, list[tuple[float, float]]] = {name: [] for name in calls}
        for number in range(rounds):
            for name, (arguments, payload) in calls.items():
                own = (_START if name == _PROMPT else name).replace(",", "").replace(" ", "-")
                session = f"{own}-{number}"  # hooks take no id with a blank in it
                taken[name].append(_run(arguments, {**payload, "session_id": session}, layout))
        files = (layout.deck, *layout.deck_parts.iterdir())
        size = sum(file.stat().st_size for file in files) / 1e6
    bare = statistics.median(wall for wall, _ in taken["bare interpreter"])
    rows = [_row(name, figures, bare) for name, figures in taken.items()]
    return [Hooks(lines, size, compile_s, rows)]


def indexed(layout: Layout, project: Path) -> list[PlaceSighting]:
    """Makes the checkout and the index of its files; returns what its commits say."""
    make_repository(project, FILES, COMMITS)
    checkout = GitCheckout(_REPO, project, project / ".git")
    update_checkout(layout, checkout, Redactor(b"bench"))
    return history_sightings(checkout, 0)


def deck_of(count: int, project: Path, key: bytes, sightings: Sequence[PlaceSighting] = ()) -> DeckContent:
    """A deck with invented lines for fifty repositories, and the history of one of them."""
    lines = [_change(), *(_line(number) for number in range(count))]
    rules = tuple(
        BlockLine(f"rule-{n}", of_deck(f"- Rule {n}: run `make check` before a commit, not single linters."))
        for n in range(25)
    )
    blocks = [
        DeckBlock((BlockSection(of_deck("Standing rules"), rules),), repo=f"example.org/team/project-{n}")
        for n in range(_REPOS)
    ]
    settings = DeckSettings(key=key, session_share=0.0, item_share=0.0)
    return DeckContent(
        settings,
        roots={str(project): _REPO},
        blocks=blocks,
        lines=lines,
        prompts={_REPO: history(commits=sightings)},
        trees={_REPO: tree_file(_REPO)},
        checks=[DeckedCheck(check_from(form, repo=_REPO), _REPO) for form in _forms()],
    )


def _forms() -> list[str]:
    """Fifty checks, of all kinds."""
    kinds = (
        "never run tool{} push unless asked",
        "before tool{} commit: make lint{}",
        "pnpm{} instead of npm{}",
        "never edit src/made{}/**",
        "after schema{}.prisma: npx gen{}",
    )
    return [kind.replace("{}", str(number)) for number in range(10) for kind in kinds]


def _line(number: int) -> FiringLine:
    tool, option = f"tool{number % 3_000}", f"--option-{number}"
    return FiringLine(
        item=f"{number:012x}",
        text=of_deck(f"`{tool} run {option}` fails here; use `{tool} start`."),
        scope=Scope(ScopeKind.REPO, f"example.org/team/project-{number % _REPOS}"),
        authority=Authority.GUIDANCE,
        advice=f"{tool} start",
        confidence=0.8,
        triggers=(
            Trigger(signature=f"{tool}: unknown option {option}"),
            Trigger(program=tool, words=("run", option)),
            Trigger(topic=(f"matter{number % 5_000}", f"part{number}")),
        ),
    )


def _change() -> FiringLine:
    """A line whose advice has to be applied to the command at hand."""
    return FiringLine(
        item="change",
        text=of_deck("Instead of `wrapit cargo …`, which fails, call `cargo …`."),
        scope=Scope(ScopeKind.REPO, _REPO),
        authority=Authority.GUIDANCE,
        advice="wrapit cargo → cargo",
        confidence=0.8,
        triggers=(
            Trigger(program="wrapit", words=("cargo",), signature="wrapit: unrecognized subcommand cargo"),
            Trigger(program="wrapit", words=("cargo",)),
        ),
    )


def _calls(project: str) -> dict[str, tuple[list[str], dict[str, object]]]:
    shell: dict[str, object] = {"cwd": project, "tool_name": "Bash"}
    failed = {**shell, "hook_event_name": "PostToolUseFailure"}
    known = {
        "tool_input": {"command": "tool1 run --option-1"},
        "error": "Exit code 2\nerror: unknown option --option-1",
    }
    changed = {
        "tool_input": {"command": "cd src && wrapit cargo test --all 2>&1 | tail -20"},
        "error": "Exit code 2\nerror: unrecognized subcommand 'cargo'",
    }
    unknown = {
        "tool_input": {"command": "ls ./nowhere"},
        "error": "Exit code 2\nls: cannot access './nowhere': No such file",
    }
    fine = {**shell, "tool_input": {"command": "git status"}, "tool_response": {"stdout": "nothing to commit\n" * 20}}
    before = {**shell, "tool_input": {"command": "git status --short"}}
    hook = [sys.executable, "-I", "-c", _MAIN, "claude-code"]
    return {
        "bare interpreter": ([sys.executable, "-I", "-c", "pass"], {}),
        "after, no match": ([*hook, "after"], fine),
        "after, unknown failure": ([*hook, "after"], {**failed, **unknown}),
        "after, known failure": ([*hook, "after"], {**failed, **known}),
        "after, known, a change to apply": ([*hook, "after"], {**failed, **changed}),
        "before, no match": ([*hook, "before", "--refuse"], before),
        "before, 50 checks, none fits": ([*hook, "before"], before),
        "before, a check stops": (
            [*hook, "before"],
            {**shell, "tool_input": {"command": "cd src && npm3 install"}},
        ),
        "before, refused": (
            [*hook, "before", "--refuse"],
            {**shell, "tool_input": {"command": "tool1 run --option-1"}},
        ),
        _START: ([*hook, "start"], {"cwd": project, "source": "startup"}),
        _PROMPT: ([*hook, "prompt"], {"cwd": project, "prompt": TASK}),
        "prompt and start at once": ([*hook, "prompt"], {"cwd": project, "prompt": TASK}),
        "end": ([*hook, "end"], {"cwd": project}),
    }


def _run(arguments: list[str], payload: dict[str, object], layout: Layout) -> tuple[float, float]:
    """Wall and CPU time in milliseconds."""
    started = time.perf_counter()
    process = subprocess.Popen(
        arguments,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        env={"HOME": str(layout.root), "AFTERWIT_HOME": str(layout.root), "PATH": os.environ.get("PATH", "")},
    )
    assert process.stdin is not None
    try:
        process.stdin.write(json.dumps(payload).encode())
        process.stdin.close()
    except BrokenPipeError:  # the bare interpreter reads nothing
        pass
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    return wall * 1000, (usage.ru_utime + usage.ru_stime) * 1000


def _row(name: str, figures: list[tuple[float, float]], bare: float) -> Row:
    wall = statistics.median(wall for wall, _ in figures)
    return Row(name, wall, wall / bare, statistics.median(cpu for _, cpu in figures))


def main() -> None:
    parser = command_line(__doc__)
    parser.add_argument("--lines", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=41)
    options = parser.parse_args()
    report("hook", table(options.lines, options.rounds), keep=options.keep)


if __name__ == "__main__":
    main()
