"""What a command gave back, as mini-swe-agent shows it to its model: the output between tags, with the exit code."""

import re
from collections.abc import Mapping
from typing import Any

from afterwit.agents import fields
from afterwit.agents.blocks import inside_tags
from afterwit.model.readings import Result

_CODE = re.compile(r"<returncode>\s*(-?\d{1,10})\s*</returncode>")
_HEAD_CHARS = 100_000  # the old layout repeats the command before the exit code
_OUTPUTS = ("output", "output_head", "output_tail", "stdout", "stderr", "exception")


def is_observation(text: str, extra: Mapping[str, Any]) -> bool:
    """Whether a message in the name of the user is the result of a command. The bare diff is what the oldest versions
    show of the submitting one."""
    return "returncode" in extra or text.startswith("diff --git ") or _CODE.search(text[:_HEAD_CHARS]) is not None


def observed(text: str, extra: Mapping[str, Any]) -> tuple[str, Result]:
    """The output, and how the command ended. Minus one says that it never came to an end of its own."""
    stated = _CODE.search(text[:_HEAD_CHARS])
    code = fields.exit_code(extra, "returncode")
    if code is None and stated:
        code = fields.exit_code({"code": int(stated[1])}, "code")
    raw = extra.get("raw_output")
    output = raw if isinstance(raw, str) else inside_tags(text, *_OUTPUTS) if stated else text
    failure = fields.text(extra, "exception_info")
    is_error = True if failure else None if code is None else code != 0
    return "\n".join(part for part in (output, failure) if part), Result(is_error=is_error, exit_code=code)
