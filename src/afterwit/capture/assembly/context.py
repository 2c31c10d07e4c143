"""What assembling a file needs to know besides its readings. Values alone; who gathers them is the caller's affair."""

from collections.abc import Mapping

import msgspec

from afterwit.guard.redaction import Redactor


class Context(msgspec.Struct, frozen=True, kw_only=True):
    """What assembling needs to know besides the readings."""

    agent: str
    redactor: Redactor
    tool_names: Mapping[str, str] = msgspec.field(default_factory=dict)
    user_names: Mapping[str, str] = msgspec.field(default_factory=dict)
