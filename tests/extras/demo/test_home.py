"""The invented home: always the same, harmless to look at, and rich enough to show what there is to show."""

import datetime as dt
import re
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest

import afterwit.extras.demo
from afterwit.extras.demo.run import SESSIONS, home_files
from afterwit.extras.demo.script import (
    CompactedStep,
    Delegate,
    DemoAgent,
    Denied,
    EditStep,
    Interrupted,
    ModelError,
    Shell,
    Skill,
)

DAY = dt.date(2026, 5, 1)
HOME = "/srv/demo/home"
STEPS = [step for session in SESSIONS for step in session.steps]


def test_it_is_the_same_each_time() -> None:
    assert home_files(DAY, HOME) == home_files(DAY, HOME)


def test_another_day_moves_the_sessions() -> None:
    def newest(day: dt.date) -> bytes:
        text = b"".join(file.content for file in home_files(day, HOME).values())
        dates: list[bytes] = re.findall(rb"\d{4}-\d\d-\d\d(?=T\d\d:)", text)
        return max(dates)

    assert (newest(DAY), newest(DAY + dt.timedelta(days=1))) == (b"2026-04-29", b"2026-04-30")


def test_every_session_lies_before_the_day_and_within_a_month() -> None:
    midnight_ms = int(dt.datetime.combine(DAY, dt.time(), dt.UTC).timestamp()) * 1000
    ages = [midnight_ms - file.at_ms for file in home_files(DAY, HOME).values()]
    assert min(ages) == 0
    assert max(ages) < 30 * 86_400_000


def test_there_are_several_agents_and_three_repositories() -> None:
    assert {session.agent for session in SESSIONS} == set(DemoAgent)
    assert len({session.repo for session in SESSIONS}) == 3
    roots = {path.parts[1] for path in home_files(DAY, HOME) if path.parts[0] == "src"}
    assert roots == {session.repo for session in SESSIONS}


@pytest.mark.parametrize("kind", [CompactedStep, Delegate, Denied, Interrupted, ModelError, Skill])
def test_every_kind_of_event_happens(kind: type) -> None:
    assert any(isinstance(step, kind) for step in STEPS)


def test_both_formats_that_can_fork_do() -> None:
    assert {session.agent for session in SESSIONS if session.fork_of} == {DemoAgent.CLAUDE_CODE, DemoAgent.CODEX}


def test_failures_come_again_in_other_sessions_and_agents_with_the_same_fix() -> None:
    fixes: dict[tuple[str, str], set[DemoAgent]] = {}
    for session in SESSIONS:
        shells = [step for step in session.steps if isinstance(step, Shell)]
        for failed, fixed in pairwise(shells):
            if failed.exit_code and not fixed.exit_code:
                fixes.setdefault((failed.command.split()[0], fixed.command.split()[0]), set()).add(session.agent)
    assert fixes["pytest", "uv"] == set(DemoAgent)
    assert fixes["npm", "pnpm"] == {DemoAgent.CLAUDE_CODE, DemoAgent.CODEX, DemoAgent.HERMES}
    assert fixes["gh", "gh"] == {DemoAgent.CLAUDE_CODE, DemoAgent.CODEX}


@pytest.mark.parametrize("rule", ["DTZ005", "no-floating-promises"])
def test_lint_rules_bite_again(rule: str) -> None:
    bitten = [
        session
        for session in SESSIONS
        if any(isinstance(step, Shell) and rule in step.output and step.exit_code for step in session.steps)
    ]
    assert len(bitten) >= 3
    assert len({session.agent for session in bitten}) >= 2


def test_some_files_change_together() -> None:
    pairs: Counter[tuple[str, str]] = Counter()
    for session in SESSIONS:
        edited = sorted({step.path for step in session.steps if isinstance(step, EditStep) and not step.error})
        pairs.update((one, other) for one in edited for other in edited if one < other)
    assert pairs["src/orchard/harvest.py", "tests/test_harvest.py"] >= 3
    assert pairs["openapi.yaml", "src/routes/berths.ts"] >= 3


def test_the_source_holds_no_secret_that_a_scanner_would_take_for_a_live_one() -> None:
    folder = Path(afterwit.extras.demo.__path__[0])
    text = "".join(file.read_text(encoding="utf-8") for file in folder.glob("*.py"))
    assert not re.search(r"gh[pousr]_\w{20}|postgres://\w+:\w{8}", text)
    written = b"".join(file.content for file in home_files(DAY, HOME).values())
    assert re.search(rb"ghp_\w{36}", written)
    assert re.search(rb"postgres://harbour:\w{18}@", written)
