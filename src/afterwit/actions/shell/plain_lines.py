"""Takes plain command lines apart without the parser: words, quotes, `cd x && make`, pipes, redirections into files.

What a line means is what `shell` says it means; a test compares them. A line that holds anything else (an expansion, a
substitution, a group, a here-document, a wrapper such as `sudo`, a shell with a script) is not plain, and gives None:
then the parser has to be asked. No patterns and no enumerations, so that a hook can ask this first.
"""

from afterwit.actions.shell.program_table import (
    SHELLS,
    WRAP_ALONE,
    WRAP_WITH,
    is_assignment,
    names,
    subcommand_in,
    weigh,
)

_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=@%+,~^*?[]{}")
_KEYWORDS = names("{ } if then elif else fi while until for select do done case esac function ! [[ ((")
_OPERATORS = ("&&", "||", "|&", "|", ";", "\n")
_REDIRECTIONS = (">>", ">&", ">|", ">", "&>>", "&>")
_PIPES = ("|", "|&")
_AWAIT_MORE = ("&&", "||", *_PIPES)
_BLANKS = " \t"
_EXPANDING = frozenset("\\$`")


class PlainCommand:
    """One simple command, as `shell_tree.Command` has it."""

    __slots__ = ("arguments", "joint", "program", "spelled", "subcommand", "weight", "words")

    def __init__(self, words: list[str], spelled: list[tuple[int, int]], joint: str, *, is_stage: bool) -> None:
        self.words = words  # dequoted, without assignments in front
        self.spelled = spelled  # where each of them begins and ends in the line
        self.joint = joint  # the operator that follows
        self.program = words[0].rstrip("/").rpartition("/")[2] or words[0] if words else ""
        self.arguments = words[1:]
        self.subcommand = subcommand_in(self.program, self.arguments)
        self.weight = weigh(self.program, self.subcommand, is_stage=is_stage, feeds=joint in _PIPES)

    @property
    def flags(self) -> list[str]:
        """Option names among the arguments, without their values."""
        given = self.arguments[: self.arguments.index("--")] if "--" in self.arguments else self.arguments
        return [word.partition("=")[0] for word in given if word.startswith("-") and len(word) > 1]


def plain_commands(line: str) -> list[PlainCommand] | None:
    """The commands of a plain line in their order; None where the parser has to be asked."""
    scanner = _Scanner(line)
    return scanner.commands if line.isascii() and scanner.run() else None


def main_of(commands: list[PlainCommand]) -> PlainCommand | None:
    """The command that matters: the last of the weightiest."""
    most = max((command.weight for command in commands), default=0)
    return next((command for command in reversed(commands) if command.weight == most), None)


class _Scanner:
    """Reads a line from left to right, and gives up at the first thing that is not plain."""

    def __init__(self, line: str) -> None:
        self._line = line
        self._at = 0
        self._words: list[str] = []
        self._spelled: list[tuple[int, int]] = []
        self._has_content = self._has_redirection = False
        self._before = ""  # the operator before the command that is being read
        self._is_plain = True
        self.commands: list[PlainCommand] = []

    def run(self) -> bool:
        while self._is_plain and self._at < len(self._line):
            if self._line[self._at] in _BLANKS:
                self._at += 1
            elif not (self._redirection() or self._operator()):
                self._word()
        self._end("")
        return self._is_plain and self._before not in _AWAIT_MORE

    def _operator(self) -> bool:
        found = next((operator for operator in _OPERATORS if self._line.startswith(operator, self._at)), "")
        if found:
            self._at += len(found)
            self._end(found)
            self._is_plain = self._is_plain and not (found == ";" and self._line[self._at : self._at + 1] == "&")
        return bool(found)

    def _redirection(self) -> bool:
        """`2>&1`, `> file`, `&>> file`."""
        at = self._at
        while self._line[at : at + 1].isdigit():
            at += 1
        start = next((redirection for redirection in _REDIRECTIONS if self._line.startswith(redirection, at)), "")
        if not start or (start[0] == "&" and at > self._at):
            return False
        self._at = at + len(start)
        while self._line[self._at : self._at + 1] in (" ", "\t"):
            self._at += 1
        self._text()
        self._has_redirection = True
        return True

    def _word(self) -> None:
        start = self._at
        text = self._text()
        is_first = not self._words
        self._is_plain = self._is_plain and not (is_first and self._line[start : self._at] in _KEYWORDS)
        self._has_content = True
        if not (is_first and is_assignment(text)):
            self._words.append(text)
            self._spelled.append((start, self._at))

    def _text(self) -> str:
        """The word that begins here, dequoted. Where there is none, the line is not plain."""
        parts: list[str] = []
        while self._at < len(self._line):
            char = self._line[self._at]
            if char in _LETTERS:
                parts.append(char)
                self._at += 1
            elif char in "'\"":
                parts.append(self._quoted(char))
            else:
                break
        self._is_plain = self._is_plain and any(parts)
        return "".join(parts)

    def _quoted(self, quote: str) -> str:
        inside, closing, _ = self._line[self._at + 1 :].partition(quote)
        self._at += len(inside) + 2
        self._is_plain = self._is_plain and bool(closing) and (quote == "'" or _EXPANDING.isdisjoint(inside))
        return inside

    def _end(self, joint: str) -> None:
        """Closes the command that was read. Between two operators there has to be one; empty lines are none."""
        if self._has_content:
            self._is_plain = self._is_plain and self._is_plain_call()
            self.commands.append(PlainCommand(self._words, self._spelled, joint, is_stage=self._before in _PIPES))
            self._before = joint
        elif joint not in ("\n", "") or self._before in _AWAIT_MORE or self._has_redirection:
            self._is_plain = False
        self._words, self._spelled = [], []
        self._has_content = self._has_redirection = False

    def _is_plain_call(self) -> bool:
        """Whether the program is what it seems: no wrapper, no shell that may be given a script."""
        if not self._words:
            return True
        first = self._words[0].rstrip("/").rpartition("/")[2] or self._words[0]
        if first in WRAP_ALONE or first in SHELLS or first.lower().endswith(".exe") or "\\" in first:
            return False
        return WRAP_WITH.get(first, frozenset()).isdisjoint(self._words[1:])
