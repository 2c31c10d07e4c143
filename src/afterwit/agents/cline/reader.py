"""The reader of Cline and Roo in editors: one folder per task, with the conversation as one document.

`api_conversation_history.json`, what the model was shown, is the log. Beside it lie `ui_messages.json`, which states
the tokens and the cost of each request, and for Roo `history_item.json` with the task's folder and parent. The document
is rewritten whole, and cut where the context was full: messages keep their times, by which they are known again.
Written from documentation; one real history was described there.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

import msgspec

from afterwit.agents import fields
from afterwit.agents.cline.requests import requests_of
from afterwit.agents.cline.turns import Turns
from afterwit.agents.memory import Memory
from afterwit.agents.places import Place
from afterwit.agents.protocol import Shape, SourceFile
from afterwit.model.kinds import ReaderEvidence, Relation
from afterwit.model.readings import Facts, Reading, Spend, Usage
from afterwit.model.times import ms_from_any
from afterwit.sources.documents import items
from afterwit.sources.framing import Record

_LOG = "api_conversation_history.json"
_COMPANIONS = frozenset(["ui_messages.json", "history_item.json"])
_FOLDER = re.compile(r"# Current (?:Working|Workspace) Directory \(([^)\n]{1,1000})\)")
_SIGNS = ("<task>", "<environment_details>", "<feedback>")


class ClineReader:
    """All that is known about the tasks of Cline or of one of its relatives."""

    evidence = ReaderEvidence.DOCUMENTATION

    def __init__(self, agent: str = "cline") -> None:
        self.agent = agent

    def primary(self, path: PurePosixPath) -> PurePosixPath | None:
        if len(path.parts) != 3 or path.parts[0] != "tasks":
            return None
        if path.name == _LOG:
            return path
        return path.with_name(_LOG) if path.name in _COMPANIONS else None

    def shape(self, path: PurePosixPath) -> Shape:  # noqa: ARG002 - the protocol's
        return Shape.DOCUMENT

    def sniffs(self, record: Mapping[str, Any]) -> bool:
        texts = [fields.text(block, "text") for block in fields.mappings(record, "content")]
        return record.get("role") == "user" and any(sign in text for text in texts for sign in _SIGNS)

    def start(self, file: SourceFile, saved: bytes | None = None) -> "ClineReading":  # noqa: ARG002
        return ClineReading(file)


def roo() -> ClineReader:
    """The reader of Roo, which keeps its tasks as Cline does."""
    return ClineReader("roo")


class ClineReading:
    """The reading of one task."""

    def __init__(self, file: SourceFile) -> None:
        self._file = file
        self._session = file.path.parent.name or file.path.stem
        self._turns = Turns(self._session)
        self._memory = Memory()
        self._model = ""
        self._states_requests = False
        self.known: Mapping[str, int] = self._memory.known
        self.unknown: Mapping[str, int] = self._memory.unknown

    def save(self) -> bytes:
        return b""

    def feed(self, record: Record) -> Iterator[Reading]:
        messages = msgspec.json.decode(record.raw, type=list[Any])
        yield self._facts(record)
        self._model = _last_model(messages)
        requests = requests_of(self._beside("ui_messages.json"), self._session, self._model)
        self._states_requests = bool(requests)
        yield from requests
        for message in items(record):
            yield from self.piece(message)

    def piece(self, record: Record) -> Iterator[Reading]:
        message = msgspec.json.decode(record.raw)
        role = fields.text(message, "role") if isinstance(message, dict) else ""
        self._memory.count(role, is_known=role in ("user", "assistant"))
        if role in ("user", "assistant"):
            place = Place.of(self._session, record, ms_from_any(message.get("ts")))
            yield from self._turns.read(message, place)
            if not self._states_requests:
                yield from self._spend(message, place)

    def _facts(self, record: Record) -> Facts:
        about = _object(self._beside("history_item.json"))
        parent = fields.plain_id(about, "parentTaskId")
        folder = _FOLDER.search(record.raw.decode("utf-8", "replace"))
        return Facts(
            session=self._session,
            at_ms=ms_from_any(self._session),
            cwd=fields.text(about, "workspace") or (_unescaped(folder[1]) if folder else ""),
            parent=parent,
            relation=Relation.SUBAGENT if parent else None,
            origin=fields.text(about, "mode"),
        )

    def _spend(self, message: Mapping[str, Any], place: Place) -> Iterator[Spend]:
        """What a message says of its own request. It does not tell reading from the cache from writing to it."""
        metrics = fields.mapping(message, "metrics")
        tokens = fields.mapping(metrics, "tokens")
        usage = Usage(
            input=fields.tokens(tokens, "prompt"),
            cache_read=fields.tokens(tokens, "cached"),
            output=fields.tokens(tokens, "completion"),
        )
        if usage != Usage():
            model = fields.plain_id(fields.mapping(message, "modelInfo"), "modelId") or self._model
            key = f"{self._session}:{place.at_ms or place.made_up()}"
            cost = fields.number(metrics, "cost")
            yield Spend(
                session=self._session,
                key=key,
                model=model,
                usage=usage,
                at_ms=place.at_ms,
                cost_usd=float(cost) if cost is not None and cost > 0 else None,
            )

    def _beside(self, name: str) -> bytes:
        return self._file.companion(self._file.path.with_name(name)) or b""


def _last_model(messages: list[Any]) -> str:
    infos = [fields.mapping(message, "modelInfo") for message in messages if isinstance(message, dict)]
    return next((model for info in reversed(infos) if (model := fields.plain_id(info, "modelId"))), "")


def _unescaped(text: str) -> str:
    """A path inside of JSON text."""
    value = fields.decoded_text(f'"{text}"')
    return value if isinstance(value, str) else text


def _object(raw: bytes) -> Mapping[str, Any]:
    try:
        return msgspec.json.decode(raw, type=dict[str, Any])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return {}
