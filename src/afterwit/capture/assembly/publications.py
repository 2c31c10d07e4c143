"""What a command line publishes: messages of commits, titles and texts of pull requests.

They are texts that a model has already distilled. Reads the options of `git commit` and `gh pr create` (and the like of
other forges), here-documents included. Whether the command succeeded is the caller's business.
"""

import re
from typing import NamedTuple

from afterwit.actions.shell.parse import parsed
from afterwit.actions.shell.tree import Command
from afterwit.model.kinds import NoteKind

_MAYBE = re.compile(r"\bcommit\b|\b(?:pr|mr) (?:create|edit|new)\b")
_HEREDOC = re.compile(r"\A\$\(\s*cat\s*<<-?\s*(['\"]?)(\w+)\1\n(?P<body>.*?)\n?[ \t]*\2\s*\)\Z", re.DOTALL)
_COMMIT_OPTION = re.compile(r"(?:-[a-zA-Z]*m|--message)(?:=(?P<value>.*))?\Z", re.DOTALL)
_TITLE_OPTION = re.compile(r"(?:-t|--title)(?:=(?P<value>.*))?\Z", re.DOTALL)
_BODY_OPTION = re.compile(r"(?:-b|--body|--description)(?:=(?P<value>.*))?\Z", re.DOTALL)
_FORGES = ("gh", "glab", "tea")
_TRAILER = re.compile(
    r"^(?:Co-Authored-By|Signed-off-by|Reviewed-by|Generated with|🤖).*$", re.MULTILINE | re.IGNORECASE
)


class Published(NamedTuple):
    kind: NoteKind  # COMMIT or PULL
    text: str


def published(line: str) -> list[Published]:
    """The messages that this command line makes public, in order."""
    if not _MAYBE.search(line):
        return []
    found = (_of_command(command) for command in parsed(line).commands)
    return [one for one in found if one is not None and one.text]


def _of_command(command: Command) -> Published | None:
    if command.program == "git" and command.subcommand == "commit":
        messages = _values(command, _COMMIT_OPTION) or _heredocs(command)
        return Published(NoteKind.COMMIT, _clean("\n\n".join(messages)))
    if command.program in _FORGES and command.subcommand.split()[:1] in (["pr"], ["mr"]):
        texts = [*_values(command, _TITLE_OPTION), *(_values(command, _BODY_OPTION) or _heredocs(command))]
        return Published(NoteKind.PULL, _clean("\n\n".join(texts)))
    return None


def _values(command: Command, option: re.Pattern[str]) -> list[str]:
    """What follows each occurrence of an option."""
    words, found = command.arguments, list[str]()
    for at, word in enumerate(words):
        match = option.match(word)
        if match is None:
            continue
        value = match["value"] if match["value"] is not None else next(iter(words[at + 1 : at + 2]), "")
        document = _HEREDOC.match(value)
        found.append(document["body"] if document else value)
    return found


def _heredocs(command: Command) -> list[str]:
    return [redirection.body for redirection in command.redirections if redirection.body]


def _clean(text: str) -> str:
    """Without trailers, which say who wrote and not what."""
    return _TRAILER.sub("", text).strip()
