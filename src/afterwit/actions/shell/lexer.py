"""Cuts a POSIX-like command line (bash, zsh, dash) into words, operators and redirections.

Words come out dequoted, with marks for what a shell would still expand in them. Substitutions stay as they are
written, inside their word. Bodies of here-documents belong to their redirection and never become words. Any string
gives tokens, in time proportional to its length; `is_whole` tells whether every quote and bracket was closed. Grammar
is left to the parser.
"""

import re
from typing import NamedTuple

from afterwit.actions.shell.spans import Heredoc, ShellSpan, heredoc_body, parameter_span, span_end
from afterwit.model.text import regex


class Word(NamedTuple):
    """One word, dequoted."""

    text: str
    expands: bool = False  # contains $x, $( ), backticks or <( ): the real text is not known
    globs: bool = False  # contains an unquoted * ? or [
    is_quoted: bool = False  # some part of it was quoted or escaped, so it is no keyword


class Operator(NamedTuple):
    """`&&`, `|`, `;`, a newline, a parenthesis …"""

    text: str


class Redirection(NamedTuple):
    """`2>&1` is (">&", "2", "1"). A here-document has its delimiter as target and its text as body."""

    operator: str
    fd: str
    target: str
    body: str = ""


Token = Word | Operator | Redirection


class LexedLine(NamedTuple):
    tokens: list[Token]
    is_whole: bool


_BLANK = regex(r"(?:[ \t\r]|\\\n)+")
_PLAIN = regex(r"[^ \t\r\n|&;()<>'\"\\$`*?\[]+")
_OPERATOR = regex(r"&&|\|\||;;&|;;|;&|\|&|[|&;()\n]")
_REDIRECTION = regex(r"(\d{0,4})(<<<|<<-|<<|<>|<&|>>|>\||>&|[<>])|()(&>>|&>)")
_VARIABLE = regex(r"\$(?:[A-Za-z_]\w*|[0-9?#@*!$_-])")
_IN_QUOTES = regex(r'[^"\\$`]+')
_ARRAY = regex(r"[A-Za-z_]\w*\+?=")
_ANSI_C = regex(r"(?s)\$'([^'\\]*(?:\\.[^'\\]*)*)('?)")
_ESCAPE = regex(r"(?s)\\(x[0-9a-fA-F]{1,2}|u[0-9a-fA-F]{1,4}|[0-7]{1,3}|.)")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "e": "\x1b", "f": "\f", "v": "\v"}
_WINDOWS_PATH = regex(r"(?:[A-Za-z]:|\.{1,2})\\(?=[\w.])")
_REDIRECTS = "<>&0123456789"
_OPERATES = "|&;()\n"
_WORD_ENDS = " \t\r\n|&;()<>"
_ARITHMETIC_TRIES = 16


def lex(text: str) -> LexedLine:
    lexer = _Lexer(text.replace("\r\n", "\n"))
    lexer.run()
    return LexedLine(lexer.tokens, lexer.is_whole)


class _Lexer:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._pending: list[tuple[int, Heredoc]] = []
        self._arithmetic_tries = _ARITHMETIC_TRIES
        self._last_end = text.rfind("))")
        self.tokens: list[Token] = []
        self.is_whole = True

    def run(self) -> None:
        while True:
            self._skip_blank()
            if self._at >= len(self._text):
                break
            if not self._special(self._text[self._at]):
                self.tokens.append(self._word())
        self.is_whole = self.is_whole and not self._pending

    def _special(self, char: str) -> bool:
        """Reads what begins with this character and is no word; False where a word begins."""
        if char == "#":
            self._comment()
            return True
        if char in _REDIRECTS and self._redirection():
            return True
        return char in _OPERATES and ((char == "(" and self._arithmetic()) or self._operator())

    def _skip_blank(self) -> None:
        blank = _BLANK.match(self._text, self._at)
        if blank:
            self._at = blank.end()

    def _comment(self) -> None:
        end = self._text.find("\n", self._at)
        self._at = len(self._text) if end < 0 else end

    def _operator(self) -> bool:
        match = _OPERATOR.match(self._text, self._at)
        if match is None:
            return False
        self._at = match.end()
        self.tokens.append(Operator(match[0]))
        if match[0] == "\n":
            self._read_heredocs()
        return True

    def _redirection(self) -> bool:
        match = _REDIRECTION.match(self._text, self._at)
        if match is None or self._text.startswith(("<(", ">("), self._at):
            return False
        self._at = match.end()
        operator = match[2] or match[4]
        self._skip_blank()
        target = self._word() if self._at < len(self._text) and self._text[self._at] not in "\n|&;)" else None
        if target is None or not (target.text or target.is_quoted):
            self.is_whole = False
        elif operator in ("<<", "<<-"):
            self._pending.append((len(self.tokens), Heredoc(target.text, operator == "<<-")))
        self.tokens.append(Redirection(operator, match[1] or "", target.text if target else ""))
        return True

    def _read_heredocs(self) -> None:
        for index, heredoc in self._pending:
            body = heredoc_body(self._text, self._at, heredoc)
            self._at = body.at
            self.is_whole = self.is_whole and body.is_closed
            token = self.tokens[index]
            if isinstance(token, Redirection):
                self.tokens[index] = token._replace(body=body.text)
        self._pending.clear()

    def _arithmetic(self) -> bool:
        """`(( … ))` is one word. If no `))` closes it, it was two subshells; the number of such tries is bounded."""
        if not self._text.startswith("((", self._at) or self._at >= self._last_end or not self._arithmetic_tries:
            return False
        end = span_end(self._text, self._at + 2, ShellSpan.ARITHMETIC, ShellSpan.ARITHMETIC)
        if not end.is_closed or self._text[end.at - 2] != ")":
            self._arithmetic_tries -= 1
            return False
        self.tokens.append(Word(self._text[self._at : end.at], expands=True))
        self._at = end.at
        return True

    def _word(self) -> Word:
        reader = _WordReader(self._text, self._at)
        word = reader.read()
        self._at = reader.at
        self.is_whole = self.is_whole and reader.is_whole
        return word


class _WordReader:
    """Reads one word. Always moves forward."""

    def __init__(self, text: str, at: int) -> None:
        self._text = text
        self.at = at
        self._start = at
        self._parts: list[str] = []
        self._expands = self._globs = self._is_quoted = False
        self._keeps_backslashes = _WINDOWS_PATH.match(text, at) is not None
        self.is_whole = True

    def read(self) -> Word:
        while self.at < len(self._text):
            plain = _PLAIN.match(self._text, self.at)
            if plain:
                self._parts.append(plain[0])
                self.at = plain.end()
            elif not self._special(self._text[self.at]):
                break
        return Word("".join(self._parts), self._expands, self._globs, self._is_quoted)

    def _special(self, char: str) -> bool:
        """Reads the part that begins with this character; False where the word ends."""
        if char in _WORD_ENDS:
            return self._read_brackets(char)
        if char == "'":
            end = self._text.find("'", self.at + 1)
            self._quote(self._text[self.at + 1 : end] if end >= 0 else self._text[self.at + 1 :], end + 1)
        elif char == '"':
            self.at += 1
            self._double_quoted()
        elif char == "\\":
            self._backslash()
        elif char == "$":
            self._dollar()
        elif char == "`":
            self._opaque(1, ShellSpan.BACKTICKS)
        else:
            self._globs = True
            self._take(1)
        return True

    def _read_brackets(self, char: str) -> bool:
        """A parenthesis that belongs to the word: process substitution, an array, an extended glob."""
        if char in "<>" and self._text.startswith("(", self.at + 1):
            self._opaque(2, ShellSpan.COMMAND)
            return True
        if char != "(" or self.at == self._start:
            return False
        if self._text[self.at - 1] in "*?@+" or (len(self._parts) == 1 and _ARRAY.fullmatch(self._parts[0])):
            self._opaque(1, ShellSpan.COMMAND)
            return True
        return False

    def _take(self, count: int) -> None:
        self._parts.append(self._text[self.at : self.at + count])
        self.at += count

    def _quote(self, inside: str, end: int) -> None:
        """A quoted part that ends before index `end`; 0 where its quote is never closed."""
        self._parts.append(inside)
        self._is_quoted = True
        self.is_whole = self.is_whole and end > 0
        self.at = end or len(self._text)

    def _opaque(self, opening: int, *spans: ShellSpan) -> None:
        end = span_end(self._text, self.at + opening, *spans)
        self._parts.append(self._text[self.at : end.at])
        self._expands = True
        self.is_whole = self.is_whole and end.is_closed
        self.at = end.at

    def _backslash(self) -> None:
        if self._keeps_backslashes:
            self._take(1)
            return
        following = self._text[self.at + 1 : self.at + 2]
        self._parts.append("" if following == "\n" else following)
        self._is_quoted = True
        self.at += 2

    def _dollar(self) -> None:
        if self._text.startswith("$'", self.at):
            match = _ANSI_C.match(self._text, self.at)
            if match:
                self._quote(_ESCAPE.sub(_unescape, match[1]), match.end() if match[2] else 0)
        elif self._text.startswith('$"', self.at):
            self.at += 2
            self._double_quoted()
        else:
            self._expansion(is_quoted=False)

    def _expansion(self, *, is_quoted: bool) -> None:
        if self._text.startswith("$((", self.at):
            self._opaque(3, ShellSpan.ARITHMETIC, ShellSpan.ARITHMETIC)
        elif self._text.startswith("$(", self.at):
            self._opaque(2, ShellSpan.COMMAND)
        elif self._text.startswith("${", self.at):
            self._opaque(2, parameter_span(is_quoted=is_quoted))
        else:
            match = _VARIABLE.match(self._text, self.at)
            self._expands = self._expands or match is not None
            self._take(len(match[0]) if match else 1)

    def _double_quoted(self) -> None:
        self._is_quoted = True
        while self.at < len(self._text):
            plain = _IN_QUOTES.match(self._text, self.at)
            if plain:
                self._parts.append(plain[0])
                self.at = plain.end()
                continue
            char = self._text[self.at]
            if char == '"':
                self.at += 1
                return
            self._in_double_quotes(char)
        self.is_whole = False

    def _in_double_quotes(self, char: str) -> None:
        if char == "$":
            self._expansion(is_quoted=True)
        elif char == "`":
            self._opaque(1, ShellSpan.BACKTICKS)
        else:
            following = self._text[self.at + 1 : self.at + 2]
            if following == "\n":
                self.at += 2
            elif following and following in '$`"\\':
                self._parts.append(following)
                self.at += 2
            else:
                self._take(1)


def _unescape(match: re.Match[str]) -> str:
    code = match[1]
    if code[0] in "xu" and len(code) > 1:
        return chr(int(code[1:], 16))
    if code[0] in "01234567":
        return chr(int(code, 8))
    return _ESCAPES.get(code, code)
