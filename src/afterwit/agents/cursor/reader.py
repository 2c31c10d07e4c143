"""Reads conversations of the Cursor editor, rendered from its `state.vscdb`.

Written from documentation: no conversation of a real database was at hand. A bubble is one message: type 1 is the
user's, type 2 the model's, which holds at most one call together with its result. Arguments and results are the texts
of JSON values. The head of a conversation names the model; what bubbles say of tokens is often zero. Cursor's own
folder of the workspace is where it ran.

Where the Cursor editor keeps its conversations: keys and values in `state.vscdb`. Two generations: conversations that
list their messages (`fullConversationHeadersOnly`), each under its own key, and before that conversations that hold
them (`conversation`). The keys with which Cursor encrypts data are left alone.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from afterwit.agents import fields
from afterwit.agents.log_reader import Place, Reader, Row, RowsReading, RowsState, column, native_id, row_of
from afterwit.agents.messages import outcome_of
from afterwit.model.kinds import EventKind, Relation
from afterwit.model.readings import Facts, Reading, Result
from afterwit.sources.databases import KeyValueGatherer, KeyValues
from afterwit.sources.gathering import Gatherer

_SECRETS = frozenset(("blobEncryptionKey", "speculativeSummarizationEncryptionKey"))
_DATABASE = KeyValues(
    names=r"state\.vscdb",
    table="cursorDiskKV",
    session="composerData:",
    item="bubbleId:",
    order="fullConversationHeadersOnly",
    item_id="bubbleId",
    updated="lastUpdatedAt",
    secrets=_SECRETS,
    inline="conversation",
)
_USER, _MODEL = 1, 2
_DONE = frozenset(("completed", "success", "error", "failed", "rejected", "cancelled", "canceled"))


class CursorReading(RowsReading[RowsState]):
    state_type = RowsState
    times = ("createdAt",)

    def take(self, row: Row, place: Place) -> Iterator[Reading] | None:
        if row.table == "composerData":
            return self._conversation(row.values, place)
        return self._bubble(row.values, place) if row.table == "bubbleId" else None

    def _conversation(self, head: Mapping[str, Any], place: Place) -> Iterator[Reading]:
        self.noted("composerData")
        state = self._state
        state.session = native_id(head.get("composerId")) or place.session
        state.model = fields.plain_id(fields.mapping(head, "modelConfig"), "modelName")
        about = fields.mapping(head, "subagentInfo")
        parent = native_id(about.get("parentComposerId")) or native_id(head.get("parentComposerId"))
        state.is_child = bool(parent)
        yield Facts(
            session=state.session,
            at_ms=place.at_ms,
            cwd=_folder(fields.mapping(head, "workspaceIdentifier")),
            branch=_branch(head),
            title=fields.text(head, "name"),
            parent=parent,
            relation=Relation.SUBAGENT if parent else None,
            origin=fields.text(head, "unifiedMode"),
        )

    def _bubble(self, bubble: Mapping[str, Any], place: Place) -> Iterator[Reading]:
        kind = bubble.get("type")
        self.noted(f"bubble/{kind}"[:20], is_known=kind in (_USER, _MODEL))
        identity = place.identity(fields.plain_id(bubble, "bubbleId") or f"at-{place.offset}")
        folder = fields.text(bubble, "workspaceProjectDir")
        if folder:
            yield Facts(session=place.session, at_ms=place.at_ms, cwd=folder)
        if kind == _USER:
            yield from self._prompt(place, bubble, identity)
        elif kind == _MODEL:
            yield from self._answer(place, bubble, identity)

    def _prompt(self, place: Place, bubble: Mapping[str, Any], identity: str) -> Iterator[Reading]:
        text = fields.without_blobs(fields.text(bubble, "text"))
        if text and self._state.is_child:
            yield place.said(EventKind.NOTICE, text)
        elif text:
            yield place.said(EventKind.PROMPT, text, f"prompt:{identity}")

    def _answer(self, place: Place, bubble: Mapping[str, Any], identity: str) -> Iterator[Reading]:
        thought = fields.text(fields.mapping(bubble, "thinking"), "text") or fields.text(bubble, "thinking")
        yield from place.told(EventKind.THOUGHT, thought)
        yield from place.told(EventKind.REPLY, fields.without_blobs(fields.text(bubble, "text")), f"said:{identity}")
        yield from _tool(place, fields.mapping(bubble, "toolFormerData"), identity)
        counts = fields.mapping(bubble, "tokenCount")
        model = fields.plain_id(fields.mapping(bubble, "modelInfo"), "modelName") or self._state.model
        yield from place.spent(f"bubble:{identity}", model, fields.usage(counts, "inputTokens", "outputTokens"))


def _tool(place: Place, tool: Mapping[str, Any], identity: str) -> Iterator[Reading]:
    name = fields.text(tool, "name")
    if not name:
        return
    arguments = fields.arguments(tool.get("rawArgs")) or fields.arguments(tool.get("params"))
    yield place.call(f"call:{identity}", identity, name, arguments)
    status = fields.text(tool, "status").lower() or fields.text(fields.mapping(tool, "additionalData"), "status")
    if status in _DONE or tool.get("result"):
        text, result = _outcome(tool, status)
        yield place.result(f"result:{identity}", identity, text, result)


def _outcome(tool: Mapping[str, Any], status: str) -> tuple[str, Result]:
    said = column(tool, "result")
    about = said if isinstance(said, dict) else {}
    given = tool.get("result")
    text = fields.text(about, "output", "contents", "content") or (given if isinstance(given, str) else "")
    text, inferred = outcome_of(fields.without_blobs(text))
    error = fields.text(about, "error") or fields.text(fields.mapping(tool, "error"), "message")
    code = fields.exit_code(about, "exitCodeV2", "exitCode", "exit_code")
    is_failed = status in ("error", "failed") or bool(error)
    is_rejected = status == "rejected" or tool.get("userDecision") == "rejected"
    result = Result(
        is_error=True if is_failed else None if code is not None else inferred.is_error or False,
        exit_code=code,
        is_denied=is_rejected or about.get("rejected") is True,
        is_worded=not is_rejected and about.get("rejected") is True,
        is_cancelled=status in ("cancelled", "canceled"),
    )
    return "\n".join(part for part in (text, error) if part), result


def _folder(workspace: Mapping[str, Any]) -> str:
    """The path that an editor's address of a folder names."""
    uri = fields.mapping(workspace, "uri")
    return fields.text(uri, "fsPath", "path") or fields.folder_at(
        fields.text(uri, "external") or fields.text(workspace, "uri")
    )


def _branch(head: Mapping[str, Any]) -> str:
    for repo in fields.mappings(head, "trackedGitRepos"):
        for branch in fields.mappings(repo, "branches"):
            if name := fields.text(branch, "branchName"):
                return name
    return ""


class CursorReader(Reader):
    agent = "cursor"
    paths = ("**/state.vscdb/*.jsonl",)
    lines = CursorReading

    def sniffs(self, record: Mapping[str, Any]) -> bool:
        return row_of(record).table in ("composerData", "bubbleId")


def gatherers() -> tuple[Gatherer, ...]:
    return (KeyValueGatherer(_DATABASE),)
