"""A check: a wish that can be decided before a call, without a model.

Its kinds are a closed set, and each is decided from the call, the files and what happened in this session. A check
says what it wants in one sentence, who wanted it and which notes it rests on. Its id follows from what it decides, so
that the same wish is the same check however often it is proposed. How people type one, and what makes one wrong, is
`knowledge.check_forms`; what people decided about it, `knowledge.checks`; how a call is decided, `recall.hook.checks`.
"""

import hashlib
from enum import StrEnum

import msgspec


class CheckKind(StrEnum):
    """What can be checked."""

    NOT_COMMAND = "not-command"  # not this command, unless the user asked for it in this session
    BEFORE = "before"  # not this command before the other has passed since the last edit
    INSTEAD = "instead"  # the other command instead of this one
    NOT_FILE = "not-file"  # no edits of this file
    AFTER_FILE = "after-file"  # once this file was edited, this command has to pass before a commit
    NOT_TEXT = "not-text"  # not this text in this file, or in a commit message


COMMIT_MESSAGE = ""  # the path of a text that must not stand in a commit message
THE_USER, THE_REPOSITORY = "the user", "this repository"  # who wanted it; the second by what was seen to hold here


class Check(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A wish that can be decided before a call."""

    kind: CheckKind
    text: str = ""  # the wish in a sentence
    notes: tuple[str, ...] = ()  # ids of those that it rests on; none where a person typed it
    command: str = ""
    other: str = ""  # of NOT_COMMAND: further words by which the user asks for it
    path: str = ""  # as in gitignore
    pattern: str = ""  # plain text, in which `*` stands for any letters of a line
    repo: str = ""  # "": everywhere
    by: str = THE_USER  # who wanted it; never a name

    @property
    def id(self) -> str:
        """The same for all that decide the same in the same place."""
        decided = (self.kind, self.repo, self.command, self.other, self.path, self.pattern)
        return hashlib.sha256("\0".join(("check", *decided)).encode()).hexdigest()[:12]

    @property
    def form(self) -> str:
        """As a person would type it."""
        return _FORMS[self.kind](self)

    @property
    def sentence(self) -> str:
        """The wish in words: those that it was given, else the form."""
        if self.text:
            return self.text
        quoted = {name: f"`{value}`" for name in ("command", "other", "path") if (value := getattr(self, name))}
        form = msgspec.structs.replace(self, **quoted).form
        return f"{form[:1].upper()}{form[1:]}."


def _form_of_text(check: Check) -> str:
    place = "a commit message" if check.path == COMMIT_MESSAGE else check.path
    return f'never write "{check.pattern}" in {place}'


_FORMS = {
    CheckKind.NOT_COMMAND: lambda check: (
        f"never run {check.command} unless asked{f' ({check.other})' if check.other else ''}"
    ),
    CheckKind.BEFORE: lambda check: f"before {check.command}: {check.other}",
    CheckKind.INSTEAD: lambda check: f"{check.other} instead of {check.command}",
    CheckKind.NOT_FILE: lambda check: f"never edit {check.path}",
    CheckKind.AFTER_FILE: lambda check: f"after {check.path}: {check.command}",
    CheckKind.NOT_TEXT: _form_of_text,
}
