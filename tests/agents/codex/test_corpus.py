"""Real rollouts against a plain count with `json`. Needs AFTERWIT_CORPUS, the path of a home folder."""

import collections
import json
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from afterwit.model.kinds import EventKind, Relation
from afterwit.model.readings import Event, Spend

CORPUS = os.environ.get("AFTERWIT_CORPUS")
pytestmark = pytest.mark.skipif(not CORPUS, reason="AFTERWIT_CORPUS names no home folder with real rollouts")
DECODER = json.JSONDecoder()
CALLS = ("function_call", "custom_tool_call", "local_shell_call", "tool_search_call")
OUTPUTS = ("function_call_output", "custom_tool_call_output", "tool_search_output")
SPAWNED = "You are the newly spawned agent."


class Counted(NamedTuple):
    calls: list[str]
    outputs: list[str]
    prompts: list[str]
    searches: int
    totals: dict[tuple[int, int, int], tuple[int, int]]


def rollouts() -> list[Path]:
    return sorted((Path(CORPUS or "") / ".codex" / "sessions").rglob("rollout-*.jsonl"))


def records(path: Path) -> Iterator[dict[str, Any]]:
    for line in path.read_text().splitlines():
        at = 0
        while at < len(line):
            record, at = DECODER.raw_decode(line, at)
            yield record


def count(path: Path) -> Counted:
    bodies = [record["payload"] for record in records(path) if isinstance(record.get("payload"), dict)]
    totals: dict[tuple[int, int, int], tuple[int, int]] = {}
    for body in bodies:
        if body.get("type") == "token_count" and body["info"]:
            total, last = body["info"]["total_token_usage"], body["info"]["last_token_usage"]
            key = (total["input_tokens"], total["output_tokens"], total["total_tokens"])
            if last["input_tokens"] or last["output_tokens"]:
                totals.setdefault(key, (last["input_tokens"], last["output_tokens"]))
    outputs = [b for b in bodies if b.get("type") in OUTPUTS and not str(b.get("output", "")).startswith(SPAWNED)]
    return Counted(
        [body["call_id"] for body in bodies if body.get("type") in CALLS],
        [body["call_id"] for body in outputs],
        [body["message"].strip() for body in bodies if body.get("type") == "user_message"],
        sum(body.get("type") == "web_search_call" for body in bodies),
        totals,
    )


@pytest.mark.parametrize("path", rollouts(), ids=lambda path: path.stem[-12:])
def test_a_rollout_yields_what_a_plain_count_finds(path: Path, read_bytes: Callable[[bytes, str], Any]) -> None:
    whole, plain = read_bytes(path.read_bytes(), f"sessions/{path.name}"), count(path)
    calls = [event.call_id for event in whole.events if event.kind is EventKind.CALL]
    results = [event.call_id for event in whole.events if event.key.startswith("result:")]
    assert [call for call in calls if not call.startswith("web:")] == plain.calls
    assert [result for result in results if not result.startswith("web:")] == plain.outputs
    assert len(calls) - len(plain.calls) == plain.searches
    prompts = [re.sub(r"\n\[image\]", "", text).strip() for text in whole.texts(EventKind.PROMPT)]
    if whole.facts[0].relation is not Relation.SUBAGENT:
        assert prompts == plain.prompts
    assert sum(s.usage.input + s.usage.cache_read for s in whole.spends) == sum(i for i, _ in plain.totals.values())
    assert sum(s.usage.output for s in whole.spends) == sum(o for _, o in plain.totals.values())
    assert not whole.reading.unknown
    assert not whole.problems


def test_copied_history_is_equal_in_every_file(read_bytes: Callable[[bytes, str], Any]) -> None:
    """Everything with an equal key says the same, whichever file it comes from; nothing else is shared."""
    told: dict[str, tuple[Any, ...]] = {}
    files: dict[str, set[str]] = collections.defaultdict(set)
    parents = {}
    for path in rollouts():
        whole = read_bytes(path.read_bytes(), f"sessions/{path.name}")
        own = whole.facts[0].session
        parents[own] = whole.facts[0].parent
        for one in whole.readings:
            if isinstance(one, Event | Spend):
                said = (
                    (one.kind, one.text, one.arguments, one.result)
                    if isinstance(one, Event)
                    else (one.usage, one.model)
                )
                assert told.setdefault(one.key, said) == said
                files[one.key].add(own)
    for shared in files.values():
        family = {parents[thread] or thread for thread in shared} if len(shared) > 1 else {""}
        assert len(family) == 1
