"""The reader of Cline's command line: a folder per session, with the messages as one document and a manifest beside it.

Written from documentation and a run of version 3.0.65. Messages are like those of Cline in editors (`agents.cline`);
the manifest, `<session>.json`, says where the session ran, when it began and what it is called.
"""

from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

from afterwit.agents import fields
from afterwit.agents.cline.reader import ClineReading
from afterwit.agents.log_reader import DocumentReading, Place, Reader
from afterwit.model.kinds import ReaderEvidence, Relation
from afterwit.model.readings import Facts, Reading, Spend
from afterwit.model.times import ms_from_any

_MESSAGES = ".messages.json"


class ClineCliReading(ClineReading):
    pieces = ("messages",)
    feed = DocumentReading.feed

    def session_of(self, path: PurePosixPath) -> str:
        return path.name.removesuffix(_MESSAGES)

    def begin(self, document: Mapping[str, Any]) -> Iterator[Reading]:
        manifest = fields.decoded_file(self._beside(f"{self._session}.json"))
        parent = fields.plain_id(manifest, "parent_session_id")
        yield Facts(
            session=self._session,
            at_ms=ms_from_any(manifest.get("started_at")) or ms_from_any(manifest.get("created_at")),
            cwd=fields.text(manifest, "cwd", "workspace_root"),
            version=fields.text(fields.mapping(document, "origin"), "version"),
            title=fields.text(fields.mapping(manifest, "metadata"), "title"),
            parent=parent,
            relation=Relation.SUBAGENT if parent else None,
            origin=fields.text(manifest, "source"),
            provider=fields.text(manifest, "provider"),
        )

    def _spend(self, message: Mapping[str, Any], place: Place) -> Iterator[Spend]:
        metrics = fields.mapping(message, "metrics")
        usage = fields.usage(metrics, "inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens")
        own = fields.plain_id(message, "id") or str(place.at_ms or place.made_up())
        model = fields.plain_id(fields.mapping(message, "modelInfo"), "id", "modelId")
        return place.spent(f"{self._session}:{own}", model, usage, fields.dollars(metrics, "cost") or None)


class ClineCliReader(Reader):
    agent = "cline-cli"
    evidence = ReaderEvidence.REAL_CLIENT
    document = ClineCliReading

    def primary(self, path: PurePosixPath) -> PurePosixPath | None:
        if path.name.endswith(_MESSAGES):
            return path
        is_manifest = path.suffix == ".json" and path.stem == path.parent.name
        return path.with_name(f"{path.stem}{_MESSAGES}") if is_manifest else None

    def sniffs(self, record: Mapping[str, Any]) -> bool:
        is_log = isinstance(record.get("messages"), list) and isinstance(record.get("agent"), str)
        return is_log and "trajectory_format" not in record and "schema_version" not in record
