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
from afterwit.agents.cline.turns import Turns
from afterwit.agents.places import Place
from afterwit.agents.protocol import SourceFile
from afterwit.agents.reading import DocumentReader, DocumentReading
from afterwit.model.kinds import ReaderEvidence, Relation
from afterwit.model.readings import Facts, Reading, Spend
from afterwit.model.times import ms_from_any
from afterwit.sources.documents import items
from afterwit.sources.framing import Record

_LOG = "api_conversation_history.json"
_COMPANIONS = frozenset(["ui_messages.json", "history_item.json"])
_FOLDER = re.compile(r"# Current (?:Working|Workspace) Directory \(([^)\n]{1,1000})\)")
_SIGNS = ("<task>", "<environment_details>", "<feedback>")


class ClineReader(DocumentReader):
    evidence = ReaderEvidence.DOCUMENTATION

    def __init__(self, agent: str = "cline") -> None:
        self.agent = agent

    def primary(self, path: PurePosixPath) -> PurePosixPath | None:
        if len(path.parts) != 3 or path.parts[0] != "tasks":
            return None
        if path.name == _LOG:
            return path
        return path.with_name(_LOG) if path.name in _COMPANIONS else None

    def sniffs(self, record: Mapping[str, Any]) -> bool:
        texts = [fields.text(block, "text") for block in fields.mappings(record, "content")]
        return record.get("role") == "user" and any(sign in text for text in texts for sign in _SIGNS)

    def start(self, file: SourceFile, saved: bytes | None = None) -> "ClineReading":  # noqa: ARG002
        return ClineReading(file)


def roo() -> ClineReader:
    """The reader of Roo, which keeps its tasks as Cline does."""
    return ClineReader("roo")


class ClineReading(DocumentReading):
    def __init__(self, file: SourceFile) -> None:
        self._file = file
        super().__init__(file.path.parent.name or file.path.stem)
        self._turns = Turns(self._session)
        self._model = ""
        self._states_requests = False

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
        about = fields.decoded_file(self._beside("history_item.json"))
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
        usage = fields.usage(fields.mapping(metrics, "tokens"), "prompt", "completion", "cached")
        model = fields.plain_id(fields.mapping(message, "modelInfo"), "modelId") or self._model
        key = f"{self._session}:{place.at_ms or place.made_up()}"
        return place.spent(key, model, usage, fields.dollars(metrics, "cost") or None)

    def _beside(self, name: str) -> bytes:
        return self._file.companion(self._file.path.with_name(name)) or b""


def _last_model(messages: list[Any]) -> str:
    infos = [fields.mapping(message, "modelInfo") for message in messages if isinstance(message, dict)]
    return next((model for info in reversed(infos) if (model := fields.plain_id(info, "modelId"))), "")


def _unescaped(text: str) -> str:
    """A path inside of JSON text."""
    value = fields.decoded_text(f'"{text}"')
    return value if isinstance(value, str) else text


def requests_of(raw: bytes, session: str, model: str) -> list[Spend]:
    """What each request used. Nothing, where the file is missing or damaged."""
    try:
        shown = msgspec.json.decode(raw, type=list[Any])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return []
    stated = [message for message in shown if isinstance(message, dict) and message.get("say") == "api_req_started"]
    return [spend for request in stated for spend in _request(request, session, model)]


def _request(shown: dict[str, Any], session: str, model: str) -> Iterator[Spend]:
    """The tokens and the cost of one request, as JSON text."""
    said = fields.decoded_text(fields.text(shown, "text"))
    said = said if isinstance(said, dict) else {}
    usage = fields.usage(said, "tokensIn", "tokensOut", "cacheReads", "cacheWrites")
    place = Place(session, 0, 0, ms_from_any(shown.get("ts")))
    return place.spent(f"{session}:request:{place.at_ms}", model, usage, fields.dollars(said, "cost") or None)
