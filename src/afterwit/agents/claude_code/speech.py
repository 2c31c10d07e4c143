"""Who speaks in a message of the role "user": a person, or the client in a person's place.

The client writes tool output, reminders, echoes of slash commands, notices about background tasks and compaction
summaries as user messages. Only what is left counts as typed. In doubt between a person and the client a marked text is
the client's: a text that nobody typed must never gain a person's authority. The task that one agent gives another is
therefore a notice too, unless the record itself says that a person wrote it.
"""

import re

from afterwit.agents.claude_code.records import Line
from afterwit.model.kinds import EventKind

_INJECTED = re.compile(
    r"\s*(?:<(?:command-(?:name|message|args|contents)|local-command-[a-z]+|task-notification|system-reminder"
    r"|bash-(?:input|stdout|stderr)|user-memory-input|user-prompt-submit-hook|session-start-hook|new-diagnostics"
    r"|ide_[a-z_]+|teammate-message|channel|persisted-output|tool_use_error|fork-boilerplate|background-task-[a-z-]+"
    r"|post-tool-use-hook|environment_details)\b"
    r"|Caveat: The messages below|Base directory for this skill|Stop hook feedback:|\[SYSTEM NOTIFICATION"
    r'|\{"task_id":)'
)
_INTERRUPTED = "[Request interrupted by user"
_CONTINUED = "This session is being continued from a previous conversation"
_SLASH = re.compile(r"/[A-Za-z][\w:.-]*(?:\s|$)")


def kind_of(line: Line, text: str, *, is_child: bool) -> EventKind:
    """What a text of this user record is: prompt, notice, compaction or interrupt."""
    if line.is_compact_summary or text.startswith(_CONTINUED):
        return EventKind.COMPACTION
    if text.startswith(_INTERRUPTED):
        return EventKind.INTERRUPT
    if is_clients(line, is_child=is_child) or _INJECTED.match(text):
        return EventKind.NOTICE
    return EventKind.PROMPT


def kind_of_queued(text: str, origin: object, *, is_child: bool) -> EventKind:
    """The same for a text that waited in the queue while the agent worked."""
    if is_child or not is_humans(origin) or _INJECTED.match(text) or _SLASH.match(text):
        return EventKind.NOTICE
    return EventKind.PROMPT


def is_clients(line: Line, *, is_child: bool) -> bool:
    """Whether the record as a whole says that nobody typed it."""
    if line.is_meta or line.is_visible_in_transcript_only or line.is_synthetic or line.prompt_source == "system":
        return True
    return not is_humans(line.origin) or (is_child and line.origin is None)


def is_humans(origin: object) -> bool:
    """A record without an origin comes from a version that did not write one."""
    return not isinstance(origin, dict) or origin.get("kind", "human") == "human"
