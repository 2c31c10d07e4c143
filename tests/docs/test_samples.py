"""What README and tutorial show is what the command prints on the demo.

A sample is a fenced block with lines `$ afterwit …` (or `$ make learn`), each with what it prints. The commands are run
on a fresh demo, `learn` first, and compared line by line:

- A line `…`, or one in round brackets, stands for any lines, or none. A line that ends with `…` may go on.
- Moments, ids of sessions and the place of the store differ from demo to demo, and so do sizes, tokens and dollars,
  because invented logs hold the path of their home: any others will do.
- The width of columns follows from those, so that spaces and rules count once.
"""

import datetime as dt
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from click.testing import CliRunner

from afterwit.cli.main import afterwit
from afterwit.extras.demo.run import DemoPlace, demo_of, write_demo

ROOT = Path(__file__).parents[2]
FENCED = re.compile(r"^```\n(.*?)^```$", re.MULTILINE | re.DOTALL)
MORE = "…"
STORE = "~/.local/share/afterwit"
DIFFERENT = (
    (re.compile(r"\b\d{4}-\d\d-\d\d(?: \d\d:\d\d)?\b"), "MOMENT"),
    (re.compile(r"\b(?:[A-Z][a-z]{2} \d{1,2}(?: \d{4})?(?: \d\d:\d\d)?|\d\d:\d\d)\b"), "MOMENT"),
    (re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\b(?=[a-f]*\d)[0-9a-f]{8}\b"), "SESSION"),
    (re.compile(r"\b\d[\d.]* [KM]?B\b"), "SIZE"),
    (re.compile(r"\d+% of SIZE"), "SHARE"),
    (re.compile(r"\$\d[\d.]*|\b\d[\d.]*[kM] tokens"), "AMOUNT"),
    (re.compile(r" +"), " "),
    (re.compile(r"─[─ ]*"), "─"),
)


class Sample(NamedTuple):
    """A command on a page, and what it prints there."""

    page: str
    command: str
    lines: tuple[str, ...]

    @property
    def arguments(self) -> list[str]:
        words = re.findall(r'"[^"]*"|\S+', self.command)
        return ["learn"] if words[0] == "make" else [word.strip('"') for word in words[1:]]


def samples(page: str, text: str) -> Iterator[Sample]:
    for block in FENCED.findall(text):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, *lines = part.rstrip().split("\n")
            yield Sample(page, command, tuple(lines))


def plain(line: str) -> str:
    """A line without what differs from demo to demo."""
    for pattern, name in DIFFERENT:
        line = pattern.sub(name, line)
    return line.strip()


def fits(shown: tuple[str, ...], printed: tuple[str, ...]) -> bool:
    """Whether the lines of a page can stand for what was printed."""
    if not shown:
        return not printed
    first, rest = shown[0], shown[1:]
    if first.strip() == MORE or re.fullmatch(r"\(.*\)", first):
        return any(fits(rest, printed[skipped:]) for skipped in range(len(printed) + 1))
    return bool(printed) and is_same(first, printed[0]) and fits(rest, printed[1:])


def is_same(shown: str, printed: str) -> bool:
    beginning = plain(shown.removesuffix(MORE)) if shown.endswith(MORE) else None
    return plain(printed).startswith(beginning) if beginning is not None else plain(shown) == plain(printed)


PAGES = {name: (ROOT / name).read_text(encoding="utf-8") for name in ("README.md", "docs/tutorial.md")}
SAMPLES = [sample for page, text in PAGES.items() for sample in samples(page, text)]


class RunDemo:
    """A demo in which each command is run once."""

    def __init__(self, folder: Path) -> None:
        self.place = DemoPlace(folder, sys.platform)
        today = dt.datetime.now(tz=dt.UTC).date()
        write_demo(self.place, today, ("afterwit",))
        self._printed: dict[str, tuple[str, ...]] = {}
        for sample in sorted(SAMPLES, key=lambda sample: sample.arguments != ["learn"]):
            self._run(sample.arguments)

    @property
    def environ(self) -> dict[str, str]:
        return dict(demo_of(self.place, 0).world.environ)

    def printed(self, sample: Sample) -> tuple[str, ...]:
        return self._printed[" ".join(sample.arguments)]

    def _run(self, arguments: list[str]) -> None:
        name = " ".join(arguments)
        if name not in self._printed:
            agreed = ["--yes"] if arguments[0] == "connect" else []  # nobody is there to be asked
            done = CliRunner(env=self.environ).invoke(afterwit, [*arguments, *agreed])
            assert done.exit_code == 0, (name, done.output)
            self._printed[name] = tuple(done.output.replace(str(self.place.store), STORE).rstrip().split("\n"))


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> RunDemo:
    return RunDemo(tmp_path_factory.mktemp("samples") / "demo")


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: f"{sample.page} {sample.command}")
def test_a_sample_is_what_the_command_prints_on_the_demo(demo: RunDemo, sample: Sample) -> None:
    printed = demo.printed(sample)
    assert fits(sample.lines, printed), "\n".join(
        [f"{sample.page} shows:", *sample.lines, "", "The command prints:", *printed]
    )


def test_what_an_agent_reads_of_a_check_that_stops_it_is_what_the_readme_says(demo: RunDemo) -> None:
    form = "never run git push --force unless asked"
    added = CliRunner(env=demo.environ).invoke(afterwit, ["checks", "add", form, "--repo", "harbour"])
    on = ["checks", "on", added.output.split()[0], "--repo", "harbour", "--yes"]
    for arguments in (on, ["measure", "skipping", "--sessions", "0", "--notes", "0"]):
        assert CliRunner(env=demo.environ).invoke(afterwit, arguments).exit_code == 0
    payload: dict[str, object] = {"session_id": "sample", "cwd": str(demo.place.home / "src" / "harbour")}
    asked: dict[str, object] = {"hook_event_name": "UserPromptSubmit", "prompt": "Tidy the branch"}
    called: dict[str, object] = {
        "tool_name": "Bash",
        "tool_use_id": "call",
        "tool_input": {"command": "git push --force origin main"},
    }
    heard(demo, "prompt", payload | asked)
    said = json.loads(heard(demo, "before", payload | {"hook_event_name": "PreToolUse"} | called))
    assert f"```\n{said['hookSpecificOutput']['permissionDecisionReason']}\n```" in PAGES["README.md"]


def heard(demo: RunDemo, moment: str, payload: dict[str, object]) -> str:
    hook = [sys.executable, "-I", "-m", "afterwit.hook", "claude-code", moment]
    call = json.dumps(payload)
    done = subprocess.run(hook, input=call, env=demo.environ, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_pages_have_samples() -> None:
    assert {sample.page for sample in SAMPLES} == set(PAGES)


def test_a_sample_that_drifted_is_noticed() -> None:
    printed = ("id        started", "────  ──", "4646abb1  2026-11-01 16:20  orchard  12.3 KB", "2 items.")
    shown = ("id started", "─ ─", "266c65e2  2026-10-23 09:02  orchard  1 MB", "2 items.")
    assert fits(shown, printed)
    assert fits((*shown[:2], "…", "2 items."), printed)
    assert fits((*shown[:2], "266c65e2  2026-10-23 09:02  orch…", "(how many)"), printed)
    assert not fits((*shown[:3], "3 items."), printed)
    assert not fits(shown[:3], printed)
    assert not fits((shown[0], shown[1].replace("─", "-"), *shown[2:]), printed)
    assert not fits((*shown[:2], shown[2].replace("orchard", "harbour"), shown[3]), printed)
