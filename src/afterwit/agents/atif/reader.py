"""The reader of ATIF, the agent trajectory interchange format: one document per run, a list of steps.

Written from documentation (versions 1.0 to 1.7). A step is what a person, the system or the agent said, with the
agent's calls and what was observed after each. A step that was copied from an earlier trajectory for its context
(`is_copied_context`) is a notice. Trajectories of subagents inside of a document are sessions of their own.
Prompt tokens include those from the cache.
"""

from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

import msgspec

from afterwit.agents import fields
from afterwit.agents.log_reader import DocumentReading, Place, Reader
from afterwit.agents.messages import text_of
from afterwit.model.kinds import EventKind, Relation
from afterwit.model.readings import Event, Facts, Reading, Result, Spend
from afterwit.sources.documents import items
from afterwit.sources.framing import Record

_KINDS = {"user": EventKind.PROMPT, "agent": EventKind.REPLY, "system": EventKind.NOTICE}
_NESTED = "subagent_trajectories"


class AtifReading(DocumentReading):
    _model = ""
    _number = 0

    def session_of(self, path: PurePosixPath) -> str:
        return str(path.with_suffix(""))

    def feed(self, record: Record) -> Iterator[Reading]:
        document = msgspec.json.decode(record.raw, type=dict[str, Any])
        parent = fields.plain_id(document, "session_id", "trajectory_id") or self._session
        yield from self._trajectory(record, document, Facts(session=parent))
        for number, nested in enumerate(items(record, _NESTED)):
            inner = msgspec.json.decode(nested.raw)
            if isinstance(inner, dict):
                session = fields.plain_id(inner, "trajectory_id", "session_id")
                session = session if session and session != parent else f"{parent}:{number}"
                about = Facts(session=session, parent=parent, relation=Relation.SUBAGENT)
                yield from self._trajectory(nested, inner, about)

    def read(self, value: Mapping[str, Any], place: Place) -> Iterator[Reading]:
        source = fields.text(value, "source")
        self._memory.count(source, is_known=source in _KINDS)
        if source in _KINDS:
            yield from self._step(value, source, place)

    def _trajectory(self, record: Record, document: Mapping[str, Any], about: Facts) -> Iterator[Reading]:
        agent = fields.mapping(document, "agent")
        self._session = about.session
        self._model = fields.plain_id(agent, "model_name")
        self._number = 0
        name, version = fields.text(agent, "name"), fields.text(agent, "version")
        yield msgspec.structs.replace(about, version=version, origin=name)
        for step in items(record, "steps"):
            yield from self.piece(step)

    def _step(self, step: Mapping[str, Any], source: str, place: Place) -> Iterator[Reading]:
        self._number += 1
        text = text_of(step.get("message")) or ""
        if step.get("is_copied_context") is True:
            yield place.said(EventKind.NOTICE, text)
            return
        yield from place.told(EventKind.THOUGHT, text_of(step.get("reasoning_content")) or "")
        yield from place.told(_KINDS[source], text)
        yield from self._calls(step, place)
        yield from self._spend(step, place)

    def _calls(self, step: Mapping[str, Any], place: Place) -> Iterator[Event]:
        ids: list[str] = []
        for number, call in enumerate(fields.mappings(step, "tool_calls")):
            ids.append(fields.plain_id(call, "tool_call_id") or f"step-{self._number}-{number}")
            tool = fields.text(call, "function_name") or "?"
            yield place.asked(ids[-1], tool, fields.arguments(call.get("arguments")))
        for number, result in enumerate(fields.mappings(fields.mapping(step, "observation"), "results")):
            given = fields.plain_id(result, "source_call_id")
            text = text_of(result.get("content")) or ""
            if given or number < len(ids):
                yield place.answered(given or ids[number], text, _end(result))
            else:
                yield from place.told(EventKind.NOTICE, text)

    def _spend(self, step: Mapping[str, Any], place: Place) -> Iterator[Spend]:
        metrics = fields.mapping(step, "metrics")
        usage = fields.usage(metrics, "prompt_tokens", "completion_tokens", "cached_tokens", is_cache_given=True)
        model = fields.plain_id(step, "model_name") or self._model
        cost = fields.dollars(metrics, "cost_usd")
        return place.spent(f"{self._session}:step-{self._number}", model, usage, cost)


class AtifReader(Reader):
    agent = "atif"
    document = AtifReading

    def sniffs(self, record: Mapping[str, Any]) -> bool:
        return str(record.get("schema_version")).startswith("ATIF") and isinstance(record.get("steps"), list)


def _end(result: Mapping[str, Any]) -> Result:
    """ATIF has no field for failures; some exporters put one among the extras."""
    extra = fields.mapping(result, "extra")
    return Result(is_error=fields.flag(extra, "is_error"), exit_code=fields.exit_code(extra, "exit_code", "returncode"))
