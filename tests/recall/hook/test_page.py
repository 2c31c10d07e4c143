"""What sessions and subagents are told of the page, of lines on demand and of threads, and how often."""

import pytest
from tests.recall.hook.conftest import BLOCKS, LINES, REPO, Hook
from tests.recall.hook.conftest import HERE as ORCHARD
from tests.recall.hook.test_entry import BLOCK

from afterwit.model.knowledge import Trigger
from afterwit.model.text import roots_of
from afterwit.recall.deck.firing_lines import FiringLine
from afterwit.recall.deck.reader import LOOKER, SUBAGENT
from afterwit.recall.deck.write import DeckBlock, DeckThread
from afterwit.recall.prompt_block import BlockLine, BlockSection
from afterwit.redaction.shown import ours

_CRATES = [
    FiringLine(item=f"crate-{at}", text=ours(f"Crate {at}."), scope=ORCHARD, triggers=(Trigger(topic=("crate",)),))
    for at in range(12)
]
_PART = BlockSection(ours("This machine and its tools:"), (BlockLine("machine-1", ours("- No `docker` here.")),))
_BELT = DeckThread(REPO, "belt", (tuple(roots_of("belt drive")),), (BlockLine("belt-1", ours("Half mended.")),))
_TREES = DeckThread(REPO, "", (tuple(roots_of("thermometer")),), (BlockLine("tree-1", ours("It warns late.")),))
_LEFT_OFF = "Where the last sessions on this left off, as they saw it:"


@pytest.fixture
def told(hook: Hook) -> Hook:
    part = DeckBlock((_PART,), repo=REPO, listener=SUBAGENT)
    hook.compile(lines=[*LINES, *_CRATES], blocks=[*BLOCKS, part], threads=(_BELT, _TREES))
    return hook


def _stand_on(hook: Hook, branch: str) -> None:
    git = hook.project / ".git"
    git.mkdir(exist_ok=True)
    (git / "HEAD").write_text(f"ref: refs/heads/{branch}\n")


def _asked(hook: Hook, prompt: str = "Stack the crates", session: str = "s1") -> str:
    return hook.claude("prompt", session=session, prompt=prompt).context


def test_start_blocks_are_the_same_bytes_over_twenty_sessions(told: Hook) -> None:
    told.compile(lines=[*LINES, *_CRATES], item_share=0.5)
    texts = set()
    for number in range(20):
        texts.add(told.claude("start", source="startup", session=f"s{number}").context)
        _asked(told, session=f"s{number}")
        told.failed("pnpm test --fast", "error: unknown option --fast", session=f"s{number}")
    assert texts == {BLOCK}


def test_a_prompt_brings_two_lines_and_a_session_eight_each_once(told: Hook) -> None:
    told.claude("start", source="startup")
    rows = [[row for row in _asked(told).splitlines() if row.startswith("- Crate")] for _ in range(6)]
    assert [len(lines) for lines in rows] == [2, 2, 2, 2, 0, 0]
    assert len({row for lines in rows for row in lines}) == 8


def test_another_session_has_its_own_eight(told: Hook) -> None:
    for _ in range(5):
        _asked(told)
    assert "- Crate" in _asked(told, session="s2")


def test_lines_that_are_held_out_count_as_told(told: Hook) -> None:
    told.compile(lines=_CRATES, item_share=1.0)
    assert ["Crate" in _asked(told) for _ in range(6)] == [False] * 6
    assert [draw["lines"] for draw in told.records("draw") if draw["moment"] == "prompt"] == [2] * 4


def test_a_session_on_a_branch_hears_its_thread_after_the_page(told: Hook) -> None:
    _stand_on(told, "belt")
    text = told.claude("start", source="startup").context
    opening, *page, closing = BLOCK.splitlines()
    assert text.splitlines() == [opening, *page, _LEFT_OFF, "- Half mended.", closing]
    (draw,) = told.records("draw")
    assert draw["items"] == {"rule-1": 1, "cmd-1": 1, "belt-1": 1}


@pytest.mark.parametrize("branch", ["main", "belt-2", "feature/belt"])
def test_a_session_on_another_branch_hears_the_page_alone(told: Hook, branch: str) -> None:
    _stand_on(told, branch)
    assert told.claude("start", source="startup").context == BLOCK


def test_a_prompt_that_names_the_work_brings_its_thread_once(told: Hook) -> None:
    told.claude("start", source="startup")
    assert _asked(told, "Look at the belt") == ""
    assert f"{_LEFT_OFF}\n- Half mended." in _asked(told, "Go on with the drive of the belt")
    assert _asked(told, "Go on with the drive of the belt") == ""
    assert "It warns late." in _asked(told, "The thermometers, please")


def test_a_thread_that_was_told_at_the_start_is_not_told_again(told: Hook) -> None:
    _stand_on(told, "belt")
    told.claude("start", source="startup")
    assert _asked(told, "Go on with the belt drive") == ""


def test_a_thread_does_not_count_among_the_lines_of_a_session(told: Hook) -> None:
    told.claude("start", source="startup")
    _asked(told, "Go on with the belt drive")
    assert sum(_asked(told).count("- Crate") for _ in range(6)) == 8


@pytest.mark.parametrize("agent", ["claude-code", "codex"])
def test_a_subagent_hears_its_part_of_the_page_at_its_own_start(told: Hook, agent: str) -> None:
    _stand_on(told, "belt")
    payload = {"session_id": "s1", "cwd": str(told.project), "source": "startup"}
    told(agent, "start", {**payload, "hook_event_name": "SessionStart"})
    began = {**payload, "hook_event_name": "SubagentStart", "agent_id": "a1"}
    context = told(agent, "start", began).context
    assert context.splitlines()[1:-1] == ["This machine and its tools:", "- No `docker` here."]
    assert told(agent, "start", began).stdout == ""
    assert told(agent, "start", {**began, "agent_id": "a2"}).context == context
    assert [draw["items"] for draw in told.records("draw")][1:] == [{"machine-1": 1}] * 2


def test_a_subagent_that_only_looks_around_hears_of_the_machine_alone(told: Hook) -> None:
    looker = DeckBlock((_PART,), repo=REPO, listener=LOOKER)
    told.compile(blocks=[*BLOCKS, looker, DeckBlock((), repo=REPO, listener=SUBAGENT)])
    began = {"hook_event_name": "SubagentStart", "agent_id": "a1"}
    assert "No `docker` here." in told.claude("start", **began, agent_type="Explore").context
    assert told.claude("start", **{**began, "agent_id": "a2"}, agent_type="general-purpose").stdout == ""


def test_a_subagent_that_has_begun_hears_no_block_with_its_prompts(told: Hook) -> None:
    assert told.claude("prompt", prompt="Hello there", agent_id="a1").stdout == ""


def test_a_held_out_session_holds_out_its_subagents(told: Hook) -> None:
    told.compile(blocks=[*BLOCKS, DeckBlock((_PART,), repo=REPO, listener=SUBAGENT)], session_share=1.0)
    began = {"hook_event_name": "SubagentStart", "agent_id": "a1"}
    assert told.claude("start", **began).stdout == ""
    (draw,) = told.records("draw")
    assert (draw["held"], "docker" in draw["would"]) == (1, True)
