"""The reader of Amp: one document per thread, with messages of Anthropic's blocks.

Written from documentation. Results of tools lie in the next message in the name of the user, each with the state of its
run. Messages are numbered in their thread. Threads that were handed over or forked say so in `relationships`, whose
direction is not known, so that no parent is taken from it.
"""

from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import unquote, urlsplit

import msgspec

from afterwit.agents import fields
from afterwit.agents.log_reader import DocumentReader, DocumentReading, Place, SourceFile
from afterwit.agents.messages import Answered, Asked, Other, SaidBlock, Thought, blocks_of, text_of
from afterwit.model.kinds import EventKind, ReaderEvidence
from afterwit.model.readings import Facts, Reading, Result
from afterwit.model.times import ms_from_any
from afterwit.sources.documents import items
from afterwit.sources.framing import Record

_RUNNING = frozenset(["in-progress", "queued", "running"])
_TEXTS = ("output", "content", "text", "message", "diff")
_KINDS = {"user": EventKind.PROMPT, "assistant": EventKind.REPLY, "system": EventKind.NOTICE, "info": EventKind.NOTICE}


class AmpReader(DocumentReader):
    agent = "amp"
    evidence = ReaderEvidence.DOCUMENTATION

    def primary(self, path: PurePosixPath) -> PurePosixPath | None:
        is_thread = path.name.startswith("T-") and path.suffix == ".json"
        return path if is_thread and path.parent.name == "threads" else None

    def sniffs(self, record: Mapping[str, Any]) -> bool:
        is_thread = fields.text(record, "id").startswith("T-") and isinstance(record.get("messages"), list)
        return is_thread and "created" in record

    def start(self, file: SourceFile, saved: bytes | None = None) -> "AmpReading":  # noqa: ARG002
        return AmpReading(file.path.stem)


class AmpReading(DocumentReading):
    def __init__(self, session: str) -> None:
        super().__init__(session)

    def feed(self, record: Record) -> Iterator[Reading]:
        thread = msgspec.json.decode(record.raw, type=dict[str, Any])
        self._session = fields.plain_id(thread, "id") or self._session
        yield self._facts(thread)
        for message in items(record, "messages"):
            yield from self.piece(message)

    def piece(self, record: Record) -> Iterator[Reading]:
        message = msgspec.json.decode(record.raw)
        role = fields.text(message, "role") if isinstance(message, dict) else ""
        self._memory.count(role, is_known=role in _KINDS)
        if role in _KINDS:
            at_ms = ms_from_any(fields.mapping(message, "meta").get("sentAt"))
            at_ms = at_ms or ms_from_any(fields.mapping(message, "usage").get("timestamp"))
            yield from self._message(message, role, Place.of(self._session, record, at_ms))

    def _facts(self, thread: Mapping[str, Any]) -> Facts:
        initial = fields.mapping(fields.mapping(thread, "env"), "initial")
        tree = next(iter(fields.mappings(initial, "trees")), {})
        repository = fields.mapping(tree, "repository")
        platform = fields.mapping(initial, "platform")
        return Facts(
            session=self._session,
            at_ms=ms_from_any(thread.get("created")),
            cwd=_folder(fields.text(tree, "uri")),
            branch=fields.text(repository, "ref").removeprefix("refs/heads/"),
            remote=fields.text(repository, "url"),
            version=fields.text(platform, "clientVersion"),
            title=fields.text(thread, "title"),
            origin=fields.text(platform, "client") or fields.text(thread, "agentMode"),
        )

    def _message(self, message: Mapping[str, Any], role: str, place: Place) -> Iterator[Reading]:
        number = message.get("messageId")
        own = f"{self._session}:{number}" if isinstance(number, int | str) else ""
        said: list[str] = []
        for order, block in enumerate(blocks_of(message.get("content"))):
            if isinstance(block, SaidBlock):
                said.append(block.text)
                continue
            yield from self._text_events(role, said, own, place)
            if isinstance(block, Thought):
                yield place.said(EventKind.THOUGHT, block.text)
            elif isinstance(block, Asked):
                yield place.asked(block.id or place.made_up(order), block.tool, block.arguments)
            elif isinstance(block, Answered):
                run = fields.mapping(block.block, "run")
                call_id = block.id or place.made_up(order)
                yield place.answered(call_id, output_of(run) or block.text, result_of(run, block.is_error))
            elif isinstance(block, Other):
                yield place.problem(f"a block of the unknown type {block.type!r}")
        yield from self._text_events(role, said, own, place)
        yield from self._end_of(fields.mapping(message, "state"), place)
        yield from self._spend(fields.mapping(message, "usage"), own, place)

    def _text_events(self, role: str, said: list[str], own: str, place: Place) -> Iterator[Reading]:
        """One event of the texts so far, which are told then."""
        text = "\n".join(said)
        said.clear()
        if text.strip():
            yield place.said(_KINDS[role], text, f"{_KINDS[role]}:{own}" if own else "")

    def _end_of(self, state: Mapping[str, Any], place: Place) -> Iterator[Reading]:
        kind = fields.text(state, "type")
        if kind == "cancelled":
            yield place.said(EventKind.INTERRUPT)
        elif kind == "error":
            error = fields.mapping(state, "error")
            yield place.said(EventKind.MODEL_ERROR, fields.text(error, "message") or fields.text(state, "error"))

    def _spend(self, spent: Mapping[str, Any], own: str, place: Place) -> Iterator[Reading]:
        names = ("inputTokens", "outputTokens", "cacheReadInputTokens", "cacheCreationInputTokens")
        key = own or f"{self._session}:{place.made_up()}"
        return place.spent(key, fields.plain_id(spent, "model"), fields.usage(spent, *names))


def _folder(uri: str) -> str:
    try:
        parts = urlsplit(uri)
    except ValueError:
        return ""
    path = unquote(parts.path) if parts.scheme == "file" else ""
    return path.removeprefix("/") if path[2:3] == ":" else path


def output_of(run: Mapping[str, Any]) -> str:
    """The text of a result, of the error, or of why a person refused it."""
    return next((text for name in ("result", "error", "reason") if (text := _text(run.get(name)))), "")


def result_of(run: Mapping[str, Any], flag: bool | None) -> Result:
    """How a run ended. A command that exits with another number than 0 is `done` all the same."""
    status = fields.text(run, "status")
    code = fields.exit_code(fields.mapping(run, "result"), "exitCode", "exit_code")
    is_failed = status == "error" or (code is not None and code != 0)
    return Result(
        is_error=True if is_failed else False if status == "done" else flag,
        exit_code=code,
        is_denied=status.startswith("rejected"),
        said=_text(run.get("reason")) if status == "rejected-by-user" else "",
        is_cancelled=status.startswith("cancel"),
        is_running=status in _RUNNING,
    )


def _text(value: Any) -> str:
    if isinstance(value, Mapping):
        named = next((text for name in _TEXTS if (text := text_of(value.get(name)))), "")
        return named or (msgspec.json.encode(value).decode() if value else "")
    return text_of(value) or ""
