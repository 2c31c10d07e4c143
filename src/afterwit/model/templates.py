"""A template: tool calls of a session that went well, each with its result, as an example for a session that begins.

It is a file of its own that people read, edit and send to each other, so decoding is strict and everything in it is
bounded. Texts are redacted and clean. What one is made of is left to `extras.lab.templates.create`, where it lies to
`store.template_files`.
"""

from enum import StrEnum
from typing import Any

import msgspec

from afterwit.model.kinds import ActionKind, TaskType

TEMPLATE_FORMAT = 1
MOST_EXAMPLES = 50
DEFAULT_EXAMPLES = 10
LEAST_EXAMPLES = 2
TEMPLATE_ITEM = "template:"  # begins the name under which the use of a template is drawn and measured


class TemplateStatus(StrEnum):
    ACTIVE = "active"
    QUARANTINED = "quarantined"  # somebody else's, until a person has looked at it

    @property
    def in_words(self) -> str:
        return {TemplateStatus.ACTIVE: "in use", TemplateStatus.QUARANTINED: "needs your approval"}[self]


class ToolExample(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One call that worked."""

    tool: str  # as the agent calls it
    kind: ActionKind
    target: str  # the file, the command line or what was looked for
    arguments: dict[str, Any]
    result: str


class TemplateSource(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The session that it was taken from."""

    agent: str
    session: str  # native id
    repo: str = ""
    day: str = ""


class Template(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The whole of one file."""

    format: int = TEMPLATE_FORMAT
    id: str
    version: int = 1
    status: TemplateStatus = TemplateStatus.ACTIVE
    name: str = ""  # by which people call it, too
    type: TaskType
    tags: tuple[str, ...] = ()
    description: str
    task: str
    source: TemplateSource
    created_at: str
    examples: tuple[ToolExample, ...]

    @property
    def is_in_use(self) -> bool:
        return self.status is TemplateStatus.ACTIVE

    @property
    def item(self) -> str:
        """What its use is drawn and measured as."""
        return f"{TEMPLATE_ITEM}{self.id}"


class TemplateUse(msgspec.Struct, frozen=True, kw_only=True):
    """That a template was put before a session, or printed to be."""

    template: str
    version: int
    at: str
    way: str  # the form it was given in
