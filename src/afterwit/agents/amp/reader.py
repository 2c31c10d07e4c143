"""The reader of Amp: one document per thread, with messages of Anthropic's blocks.

Written from documentation. Results of tools lie in the next message in the name of the user, each with the state of its
run. Messages are numbered in their thread. Threads that were handed over or forked say so in `relationships`, whose
direction is not known, so that no parent is taken from it.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from afterwit.agents import fields
from afterwit.agents.log_reader import DocumentReading, Place, Reader
from afterwit.agents.messages import Answered, SaidBlock, blocks_of, tell_block, text_of
from afterwit.model.kinds import EventKind
from afterwit.model.readings import Facts, Reading, Result
from afterwit.model.times import ms_from_any

_RUNNING = frozenset(["in-progress", "queued", "running"])
_TEXTS = ("output", "content", "text", "message", "diff")
_KINDS = {"user": EventKind.PROMPT, "assistant": EventKind.REPLY, "system": EventKind.NOTICE, "info": EventKind.NOTICE}


class AmpReading(DocumentReading):
    times = ("meta.sentAt", "usage.timestamp")

    def begin(self, document: Mapping[str, Any]) -> Iterator[Reading]:
        self._session = fields.plain_id(document, "id") or self._session
        yield self._facts(document)

    def read(self, value: Mapping[str, Any], place: Place) -> Iterator[Reading]:
        role = fields.text(value, "role")
        self._memory.count(role, is_known=role in _KINDS)
        if role in _KINDS:
            yield from self._message(value, role, place)

    def _facts(self, thread: Mapping[str, Any]) -> Facts:
        initial = fields.mapping(fields.mapping(thread, "env"), "initial")
        tree = next(iter(fields.mappings(initial, "trees")), {})
        repository = fields.mapping(tree, "repository")
        platform = fields.mapping(initial, "platform")
        return Facts(
            session=self._session,
            at_ms=ms_from_any(thread.get("created")),
            cwd=fields.folder_at(fields.text(tree, "uri")),
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
            yield from tell_block(block, place, order, _ended)
        yield from self._text_events(role, said, own, place)
        yield from self._end_of(fields.mapping(message, "state"), place)
        yield from self._spend(fields.mapping(message, "usage"), own, place)

    def _text_events(self, role: str, said: list[str], own: str, place: Place) -> Iterator[Reading]:
        """One event of the texts so far, which are told then."""
        text = "\n".join(said)
        said.clear()
        return place.told(_KINDS[role], text, f"{_KINDS[role]}:{own}" if own else "")

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


class AmpReader(Reader):
    agent = "amp"
    paths = ("**/threads/T-*.json",)
    document = AmpReading

    def sniffs(self, record: Mapping[str, Any]) -> bool:
        is_thread = fields.text(record, "id").startswith("T-") and isinstance(record.get("messages"), list)
        return is_thread and "created" in record


def _ended(block: Answered) -> tuple[str, Result]:
    run = fields.mapping(block.block, "run")
    return output_of(run) or block.text, result_of(run, block.is_error)


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
