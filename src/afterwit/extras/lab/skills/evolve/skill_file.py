"""What a `SKILL.md` names: commands and paths, and in which lines. Pure.

Commands are the lines of shell blocks, and what stands in backticks and begins with a program that is known. Paths are
what stands in backticks and is plainly one, relative to the repository. A word such as `<name>` or `$FILE` stands for
others, so of a command only what comes before it is looked up.
"""

from collections.abc import Iterator
from typing import NamedTuple

from afterwit.actions.shell.parse import parsed
from afterwit.harvest.commands.power_table import KNOWN_NAMES
from afterwit.model.text import regex

_FENCE = regex(r"^\s*(?:```|~~~)\s*(?P<language>[\w+-]*)")
_SHELLS = frozenset(("", "sh", "bash", "zsh", "shell", "console", "shell-session", "terminal"))
_PROMPT = regex(r"^\s*\$\s+")
_SPAN = regex(r"`([^`\n]{2,200})`")
_ALONE = regex(r"^\s*(?:[-*+•]|\d{1,3}[.)])?\s*`[^`\n]+`[.;,]?\s*$")
_PATH = regex(r"\.?/?[\w.@+-]+(?:/[\w.@+-]+)+/?")
_OPEN = regex(r"[<>{}$…*]|\[|\.\.\.$")
_FRONT = "---"


class NamedLine(NamedTuple):
    """A command in a text."""

    text: str
    at: int  # the line, from 0
    is_alone: bool  # the line holds nothing else

    @property
    def fixed(self) -> str:
        """Its words up to the first that stands for others."""
        words = self.text.split()
        end = next((place for place, word in enumerate(words) if _OPEN.search(word)), len(words))
        return " ".join(words[:end])

    @property
    def is_open(self) -> bool:
        return self.fixed != " ".join(self.text.split())


def commands_in(text: str) -> list[NamedLine]:
    """The commands that a text names, in order. Its front matter names none."""
    return list(_commands(text))


def paths_in(text: str) -> list[str]:
    """The paths inside the repository that a text names, each once."""
    spans = (span for _, line, is_code in _lines(text) if not is_code for span in _SPAN.findall(line))
    paths = (span for span in spans if _PATH.fullmatch(span) and not span.startswith("/") and ".." not in span)
    return list(dict.fromkeys(paths))


def head_of(text: str) -> str:
    """The front matter, by which agents choose a skill; "" where there is none."""
    lines = text.split("\n")
    if lines[0].strip() != _FRONT:
        return ""
    end = next((at for at, line in enumerate(lines[1:], start=1) if line.strip() == _FRONT), 0)
    return "\n".join(lines[: end + 1]) if end else ""


def _commands(text: str) -> Iterator[NamedLine]:
    for at, line, is_code in _lines(text):
        if is_code:
            command = _PROMPT.sub("", line).strip()
            if command and not command.startswith("#"):
                yield NamedLine(command, at, is_alone=True)
            continue
        for span in _SPAN.findall(line):
            if _is_command(span):
                yield NamedLine(span, at, is_alone=bool(_ALONE.match(line)))


def _lines(text: str) -> Iterator[tuple[int, str, bool]]:
    """Lines with their numbers, and whether they are code of a shell. Code of other languages is left out."""
    language: str | None = None
    first = head_of(text).count("\n") + 1 if head_of(text) else 0
    for at, line in enumerate(text.split("\n")):
        fence = _FENCE.match(line)
        if at < first:
            continue
        if fence:
            language = fence["language"].lower() if language is None else None
        elif language is None or language in _SHELLS:
            yield at, line, language is not None


def _is_command(span: str) -> bool:
    first = parsed(span).main
    return " " in span.strip() and first is not None and first.program in KNOWN_NAMES
