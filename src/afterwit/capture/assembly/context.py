"""What assembling a file needs to know besides its readings. Values alone; who gathers them is the caller's affair."""

from collections.abc import Mapping

import msgspec

from afterwit.guard.redaction import Redactor
from afterwit.model.instruction_files import InstructionFiles
from afterwit.model.kinds import ActionKind


class AssemblyContext(msgspec.Struct, frozen=True, kw_only=True):
    """What assembling needs to know besides the readings."""

    redactor: Redactor
    tool_kinds: Mapping[str, ActionKind] = msgspec.field(default_factory=dict)  # of tools that are the agent's own
    instructions: InstructionFiles = InstructionFiles()  # of all agents
    tool_names: Mapping[str, str] = msgspec.field(default_factory=dict)  # the user's aliases
    user_names: Mapping[str, str] = msgspec.field(default_factory=dict)
