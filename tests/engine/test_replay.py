"""What a replay notes is what the real hook says: a process, with the agent's own payload, and the deck as of then."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.homes import Silent, learned, world_of
from tests.measure.histories import HOUR_S, MISSING, Log, planted

from afterwit.agents.hook_payloads import AFTER, CLAUDE_EVENTS, PROMPT, START, Moment
from afterwit.config.world import World
from afterwit.engine.replay import HookPlayer, ask_hook, past_of
from afterwit.measure.backtest import walked
from afterwit.measure.replay import Played
from afterwit.recall.holdout import CHECKED, DRAW
from afterwit.recall.hook.call import HookCall
from afterwit.sessions.filters import Filter

CORPUS = os.environ.get("AFTERWIT_CORPUS", "")
_ASKED = ("claude-code", "codex")
_MOST = 20  # sessions of real transcripts
_MOST_ACTIONS = 12  # of a session: the first, and those at which something is said


def _payload(moment: Moment) -> dict[str, Any]:
    """What the agent would have sent."""
    has_failed = bool(moment.is_error)
    said = f"Exit code {moment.exit_code}\n{moment.output}" if has_failed and moment.exit_code else moment.output
    by_event: dict[str, dict[str, Any]] = {
        START: {"source": moment.source},
        PROMPT: {"prompt": moment.prompt},
        AFTER: {
            "hook_event_name": "PostToolUseFailure" if has_failed else CLAUDE_EVENTS[AFTER],
            "tool_name": moment.tool,
            "tool_input": moment.arguments,
            **({"error": said} if has_failed else {"tool_response": said}),
        },
    }
    place = {"session_id": moment.session, "cwd": moment.cwd, "hook_event_name": CLAUDE_EVENTS[moment.event]}
    return {**place, **({"agent_id": moment.context} if moment.context else {}), **by_event[moment.event]}


class _Twin:
    """Asks the function and the process alike, each with a spool of its own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._actions: dict[str, int] = {}
        self.told: list[tuple[str, str]] = []  # by both

    def __call__(self, agent: str, moment: Moment, world: World) -> HookCall:
        call = ask_hook(agent, moment, world)
        texts = [str(record["text"]) for record in call.records if record["kind"] == DRAW and record["text"]]
        number = self._actions[moment.session] = self._actions.get(moment.session, 0) + 1
        has_met = any(record["kind"] == CHECKED for record in call.records)  # what later answers depend on
        if agent in _ASKED and (texts or has_met or number < _MOST_ACTIONS):
            answer = self._process(agent, moment, world)
            assert answer == "\n\n".join(texts)
            self.told += [(moment.event, answer)] if answer else []
        return call

    def _process(self, agent: str, moment: Moment, world: World) -> str:
        """The text for the model that the hook prints."""
        (self._folder / "spool").mkdir(exist_ok=True)
        for name in ("deck.db", "deck", "trees"):
            if (world.layout.root / name).exists() and not (self._folder / name).is_symlink():
                (self._folder / name).symlink_to(world.layout.root / name)
        environ = {"HOME": str(world.user_home), "AFTERWIT_HOME": str(self._folder), "AFTERWIT_HOOK_SECONDS": "60"}
        command = [sys.executable, "-I", "-m", "afterwit.hook", agent, moment.event]
        ran = subprocess.run(
            command, input=json.dumps(_payload(moment)).encode(), capture_output=True, env=environ, check=True
        )
        said = json.loads(ran.stdout)["hookSpecificOutput"] if ran.stdout else {}
        return str(said.get("additionalContext", ""))


@contextmanager
def _replayed(world: World, folder: Path, wanted: Filter) -> Iterator[tuple[_Twin, Iterator[Played]]]:
    folder.mkdir()
    twin = _Twin(folder)
    with past_of(world, ask=twin) as past:
        yield twin, walked(world, [HookPlayer(past)], wanted, Silent())


def test_the_hook_as_a_process_says_what_the_replay_notes(tmp_path: Path) -> None:
    planted(tmp_path / "home")
    for number in range(6, 9):
        log = Log(number, number * HOUR_S).prompt("Press apples, and see that the cider press turns")
        log.shell("npm run tset", MISSING, fails=True).shell("npm run test", "12 passing").prompt("Thank you, go on")
        log.edit("src/cider/press.ts").put(tmp_path / "home")
    learned(tmp_path / "home", tmp_path / "store")
    world = world_of(tmp_path / "home", tmp_path / "store")
    with _replayed(world, tmp_path / "twin", Filter()) as (twin, played):
        notes = [note for session in played for note in session.notes["afterwit"]]
    assert [text for _, text in twin.told] == [note.text for note in notes]
    assert {event for event, _ in twin.told} == {START, PROMPT, AFTER}


@pytest.mark.slow
@pytest.mark.skipif(not CORPUS, reason="AFTERWIT_CORPUS names no home folder with real transcripts")
def test_the_hook_as_a_process_says_what_the_replay_notes_in_real_sessions(tmp_path: Path) -> None:
    learned(Path(CORPUS), tmp_path / "store")
    world = world_of(Path(CORPUS), tmp_path / "store")
    spoken = 0
    with _replayed(world, tmp_path / "twin", Filter(agents=_ASKED)) as (twin, played):
        for session in played:
            spoken += bool(session.notes.get("afterwit"))
            if spoken == _MOST:
                break
    assert spoken == _MOST
    assert twin.told
