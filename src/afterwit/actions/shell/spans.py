"""Where the opaque parts of a shell word end: `$( )`, backticks, `${ }`, `$(( ))`, double quotes and what they nest.

`span_end` walks forward once with a stack of its own, so nesting costs neither recursion nor a second look at a
character. Quotes, comments, here-documents and `case` patterns inside a substitution are understood, because a
parenthesis in them closes nothing. What is never closed ends at the end of the text, as it does in a shell. What the
inside means is left to whoever parses it.
"""

from enum import Enum
from typing import NamedTuple

from afterwit.model.text import regex


class ShellSpan(Enum):
    """What an opaque part is, and so which characters matter in it."""

    COMMAND = "("
    ARITHMETIC = "(("
    PARAMETER = "{"
    QUOTED_PARAMETER = '"{'  # inside double quotes, where a single quote is an ordinary character
    QUOTES = '"'
    BACKTICKS = "`"


class SpanEnd(NamedTuple):
    """The index after the closing character, and whether there was one."""

    at: int
    is_closed: bool


class Heredoc(NamedTuple):
    """A here-document that was announced: its delimiter, and whether leading tabs are taken off (`<<-`)."""

    delimiter: str
    strips_tabs: bool


class HeredocBody(NamedTuple):
    """The text of a here-document and the index of what follows its delimiter line."""

    text: str
    at: int
    is_closed: bool


_CASE = r"\bcase[ \t]{1,8}[^ \t\n;&|()]{1,200}[ \t]{1,8}in\b|\besac\b"
_STOPS = {
    ShellSpan.COMMAND: regex(rf"[()'\"`\\$#\n<]|{_CASE}"),
    ShellSpan.ARITHMETIC: regex(r"[()'\"`\\$]"),
    ShellSpan.PARAMETER: regex(r"[}'\"`\\$]"),
    ShellSpan.QUOTED_PARAMETER: regex(r'[}"`\\$]'),
    ShellSpan.QUOTES: regex(r'["`\\$]'),
    ShellSpan.BACKTICKS: regex(r"[`\\]"),
}
_OPENINGS = (("$((", (ShellSpan.ARITHMETIC, ShellSpan.ARITHMETIC)), ("$(", (ShellSpan.COMMAND,)))
_HEREDOC = regex(r"<<(-?)[ \t]*(?:'([^'\n]*)'|\"([^\"\n]*)\"|\\?([^\s;&|()<>'\"`]+))")
_ANSI_C = regex(r"(?s)\$'[^'\\]*(?:\\.[^'\\]*)*'?")
_BEFORE_COMMENT = " \t\n;|&("


def span_end(text: str, at: int, *spans: ShellSpan) -> SpanEnd:
    """The end of the spans that are open at this index, the last one innermost."""
    walk = _Walk(text, at, spans)
    while walk.stack and walk.at < len(text):
        walk.step()
    return SpanEnd(min(walk.at, len(text)), not walk.stack)


def parameter_span(*, is_quoted: bool) -> ShellSpan:
    """The span that `${` opens."""
    return ShellSpan.QUOTED_PARAMETER if is_quoted else ShellSpan.PARAMETER


def heredoc_at(text: str, at: int) -> tuple[Heredoc, int] | None:
    """The here-document announced at this index and the index after its delimiter."""
    match = _HEREDOC.match(text, at)
    if match is None:
        return None
    word = next(group for group in match.groups()[1:] if group is not None)
    return Heredoc(word, match[1] == "-"), match.end()


def heredoc_body(text: str, at: int, heredoc: Heredoc) -> HeredocBody:
    """The body that begins at this index, the start of a line."""
    start = at
    while at < len(text):
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        line = text[at:end]
        if (line.lstrip("\t") if heredoc.strips_tabs else line) == heredoc.delimiter:
            return HeredocBody(text[start:at], min(end + 1, len(text)), True)
        at = end + 1
    return HeredocBody(text[start:], len(text), False)


class _Walk:
    """One walk over the text: a stack of open spans and the here-documents that wait for the end of their line."""

    def __init__(self, text: str, at: int, spans: tuple[ShellSpan, ...]) -> None:
        self.text = text
        self.at = at
        self.stack = list(spans)
        self._cases = [0 for _ in spans]
        self._heredocs: list[Heredoc] = []

    def step(self) -> None:
        span = self.stack[-1]
        stop = _STOPS[span].search(self.text, self.at)
        if stop is None:
            self.at = len(self.text)
            return
        self.at = stop.start()
        mark = stop[0]
        if mark == "\\":
            self.at += 2
        elif mark == "$":
            self._dollar()
        elif mark == "'":
            end = self.text.find("'", self.at + 1)
            self.at = len(self.text) if end < 0 else end + 1
        elif mark == "`":
            self._toggle(ShellSpan.BACKTICKS)
        elif mark == '"':
            self._toggle(ShellSpan.QUOTES)
        elif len(mark) > 1:
            self._cases[-1] = max(0, self._cases[-1] + (-1 if mark == "esac" else 1))
            self.at = stop.end()
        else:
            self._bracket(span, mark)

    def _bracket(self, span: ShellSpan, mark: str) -> None:
        if mark == "(":
            self._push(ShellSpan.ARITHMETIC if span is ShellSpan.ARITHMETIC else ShellSpan.COMMAND)
        elif mark == ")" and self._cases[-1]:
            self.at += 1
        elif mark in ")}":
            self._pop()
        elif mark == "#":
            self._comment()
        elif mark == "\n":
            self._newline()
        elif mark == "<":
            self._less()
        else:
            self.at += 1

    def _push(self, span: ShellSpan) -> None:
        self.stack.append(span)
        self._cases.append(0)
        self.at += 1

    def _pop(self) -> None:
        self.stack.pop()
        self._cases.pop()
        self.at += 1

    def _toggle(self, span: ShellSpan) -> None:
        if self.stack[-1] is span:
            self._pop()
        else:
            self._push(span)

    def _dollar(self) -> None:
        for opening, spans in _OPENINGS:
            if self.text.startswith(opening, self.at):
                self.stack += spans
                self._cases += [0] * len(spans)
                self.at += len(opening)
                return
        quoted = _ANSI_C.match(self.text, self.at) if self.stack[-1] is ShellSpan.COMMAND else None
        if self.text.startswith("${", self.at):
            self.at += 1
            self._push(parameter_span(is_quoted=self.stack[-1] is ShellSpan.QUOTES))
        elif quoted:
            self.at = quoted.end()
        else:
            self.at += 2 if self.text.startswith("$#", self.at) else 1

    def _comment(self) -> None:
        if self.text[self.at - 1] in _BEFORE_COMMENT:
            end = self.text.find("\n", self.at)
            self.at = len(self.text) if end < 0 else end
        else:
            self.at += 1

    def _less(self) -> None:
        if self.text.startswith("<<<", self.at):
            self.at += 3
            return
        heredoc = heredoc_at(self.text, self.at)
        if heredoc is None:
            self.at += 1
        else:
            self._heredocs.append(heredoc[0])
            self.at = heredoc[1]

    def _newline(self) -> None:
        self.at += 1
        for heredoc in self._heredocs:
            self.at = heredoc_body(self.text, self.at, heredoc).at
        self._heredocs.clear()
