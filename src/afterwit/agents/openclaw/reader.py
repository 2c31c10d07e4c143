"""The reader of OpenClaw, which writes pi's entries to `agents/<agent>/sessions/<session>.jsonl`.

Written from documentation. Checkpoints beside a session hold what the session holds; they belong to it as companions
and are not read for themselves.
"""

import re
from pathlib import PurePosixPath

from afterwit.agents.pi.reader import PiReader
from afterwit.model.kinds import ReaderEvidence

_SESSIONS = re.compile(r"agents/[^/]+/sessions/[^/.]+\.jsonl")
_BESIDE = re.compile(r"(agents/[^/]+/sessions/[^/.]+)\.[^/]+\.jsonl")


class OpenClawReader(PiReader):
    """pi's reader at OpenClaw's paths."""

    def __init__(self) -> None:
        super().__init__("openclaw", ReaderEvidence.DOCUMENTATION, _SESSIONS)

    def primary(self, path: PurePosixPath) -> PurePosixPath | None:
        beside = _BESIDE.fullmatch(str(path))
        return PurePosixPath(f"{beside[1]}.jsonl") if beside else super().primary(path)
