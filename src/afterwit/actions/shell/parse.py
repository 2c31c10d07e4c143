"""Parses a command line as agents write it: bash or zsh, in one line or many, with wrappers, pipes and scripts in it;
and says which command of a line matters, which one decides the exit code, and whose failure the line would report.

`parse` takes any string, never raises, and needs time in proportion to its length; nesting is bounded. What does not
follow the grammar (PowerShell, an unclosed quote, half a loop) still gives commands, and `is_whole` is False. Scripts
given to a shell (`bash -lc '…'`, `bash <<EOF`) are parsed too. Substitutions stay opaque parts of their words. `parsed`
does it once for each line.

`make | tail` ends with tail's exit code: make can fail unseen. Followed are pipes with and without `pipefail`, `&&`,
`||`, `;`, `&`, `set -e`, groups, branches, loops, `|| exit 1` and a last `exit $code`. The answer is a careful guess
from the text alone: a failure that is only sometimes reported counts as hidden.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import groupby, pairwise
from operator import attrgetter
from typing import NamedTuple

from afterwit.actions.shell.lexer import Operator, Redirection, Token, Word, lex
from afterwit.actions.shell.tree import (
    PIPES,
    Command,
    CommandLine,
    Group,
    GroupKind,
    Pipeline,
    Stage,
    command_from,
    folder_after,
    take_apart,
)


class Exits(NamedTuple):
    """What the exit code of a line stands for."""

    main: Command | None
    deciding: Command | None
    reporting: frozenset[int]
    has_pipefail: bool


class _Options(NamedTuple):
    """The shell options that matter."""

    errexit: bool = False
    pipefail: bool = False


class _Reach(NamedTuple):
    """How far failures of a part get. The sets grow in place, so that a long line costs no more than its length."""

    reporting: set[int]
    aborting: set[int]  # their failure ends the shell, wherever they stand
    deciding: Command | None


_LISTS = ("&&", "||")
_SETS = ("set", "setopt")


def exits_of(body: tuple[Pipeline, ...]) -> Exits:
    reach, options = _sequence(body, _Options())
    return Exits(
        _main(list(commands_run(body))), reach.deciding, frozenset(reach.reporting | reach.aborting), options.pipefail
    )


def _main(ran: Sequence[Command]) -> Command | None:
    """The last of the weightiest commands."""
    if not ran:
        return None
    most = max(command.weight for command in ran)
    return next(command for command in reversed(ran) if command.weight == most)


def commands_run(body: Iterable[Pipeline]) -> Iterator[Command]:
    """The commands that run when the line runs: not those of functions."""
    for pipeline in body:
        for stage in pipeline.stages:
            if isinstance(stage, Command):
                yield stage
            elif stage.kind is not GroupKind.FUNCTION:
                yield from commands_run(stage.body)


def _sequence(body: Sequence[Pipeline], options: _Options) -> tuple[_Reach, _Options]:
    """Lists one after the other: the last one counts, with `set -e` each of them."""
    aborting: set[int] = set()
    last = _Reach(set(), set(), None)
    for chain in _chains(body):
        options = _options_after(chain, options)
        reach = _chain(chain, options)
        if chain[-1].joint == "&":
            reach = _Reach(set(), set(), reach.deciding)
        aborting |= reach.aborting
        if options.errexit and not chain[0].is_condition:
            aborting |= reach.reporting
        last = _Reach(reach.reporting, reach.aborting, reach.deciding or last.deciding)
    if body and _passes_code_on(body[-1]):
        ran = list(commands_run(body))
        return _Reach({command.number for command in ran}, aborting, _main(ran)), options
    return _Reach(last.reporting, aborting, last.deciding), options


def _passes_code_on(pipeline: Pipeline) -> bool:
    """`exit $code`, with a code that was kept from an earlier command."""
    stage = pipeline.stages[-1]
    return isinstance(stage, Command) and stage.program == "exit" and "$" in "".join(stage.arguments[:1])


def _chains(body: Sequence[Pipeline]) -> Iterator[list[Pipeline]]:
    """Pipelines joined by && and ||."""
    chain: list[Pipeline] = []
    for pipeline in body:
        chain.append(pipeline)
        if pipeline.joint not in _LISTS:
            yield chain
            chain = []
    if chain:
        yield chain


def _chain(chain: Sequence[Pipeline], options: _Options) -> _Reach:
    reporting, aborting, deciding = _pipeline(chain[0], options)
    for before, pipeline in pairwise(chain):
        following = _pipeline(pipeline, options)
        if before.joint == "&&":
            reporting |= following.reporting
        elif _always_fails(pipeline.stages[-1]):
            aborting |= reporting
            reporting = set()
            continue
        else:
            reporting = following.reporting
        aborting |= following.aborting
        deciding = following.deciding or deciding
    return _Reach(reporting, aborting, deciding)


def _always_fails(stage: Stage) -> bool:
    if isinstance(stage, Group):
        is_plain = stage.kind in (GroupKind.BRACES, GroupKind.SUBSHELL)
        return is_plain and bool(stage.body) and _always_fails(stage.body[-1].stages[-1])
    return stage.program == "false" or (stage.program in ("exit", "return") and stage.arguments[:1] != ("0",))


def _pipeline(pipeline: Pipeline, options: _Options) -> _Reach:
    last = _stage(pipeline.stages[-1], options)
    if len(pipeline.stages) == 1:
        return last
    reporting, _, deciding = _ended(last)
    for stage in pipeline.stages[:-1] if options.pipefail else ():
        reporting |= _ended(_stage(stage, options)).reporting
    return _Reach(reporting, set(), deciding)


def _stage(stage: Stage, options: _Options) -> _Reach:
    if isinstance(stage, Command):
        return _Reach({stage.number}, set(), stage)
    if stage.kind is GroupKind.FUNCTION:
        return _Reach(set(), set(), None)
    if stage.kind is GroupKind.SCRIPT:
        return _ended(_sequence(stage.body, _options_given(stage.options, _Options()))[0])
    if stage.kind in (GroupKind.IF, GroupKind.CASE):
        return _branches(stage.body, options)
    reach = _sequence(stage.body, options)[0]
    if stage.kind is GroupKind.LOOP:
        return reach._replace(reporting=set())
    return _ended(reach) if stage.kind is GroupKind.SUBSHELL else reach


def _ended(reach: _Reach) -> _Reach:
    """Outside of a shell of its own, what ended it is an exit code like any other."""
    return _Reach(reach.reporting | reach.aborting, set(), reach.deciding)


def _branches(body: Sequence[Pipeline], options: _Options) -> _Reach:
    whole = _Reach(set(), set(), None)
    for _, pipelines in groupby(body, key=attrgetter("part")):
        branch = list(pipelines)
        reach = _sequence(branch, options)[0]
        whole.aborting.update(reach.aborting)
        if not branch[0].is_condition:
            whole.reporting.update(reach.reporting)
            whole = whole._replace(deciding=reach.deciding or whole.deciding)
    return whole


def _options_after(chain: Iterable[Pipeline], options: _Options) -> _Options:
    for pipeline in chain:
        stage = pipeline.stages[0]
        if isinstance(stage, Command) and stage.program in _SETS:
            options = _options_given(stage.arguments, options)
    return options


def _options_given(words: Iterable[str], options: _Options) -> _Options:
    """The options after `set` or a shell was given these words."""
    turns_on = True
    for word in words:
        if word[:1] in ("-", "+"):
            turns_on = word[0] == "-"
            if "e" in word and not word.startswith("--"):
                options = options._replace(errexit=turns_on)
        elif word == "errexit":
            options = options._replace(errexit=turns_on)
        elif word == "pipefail":
            options = options._replace(pipefail=turns_on)
    return options


_MOST_FRAMES = 24
_MOST_SCRIPTS = 4
_OPENS = {
    "{": (GroupKind.BRACES, "body"),
    "if": (GroupKind.IF, "condition"),
    "while": (GroupKind.LOOP, "condition"),
    "until": (GroupKind.LOOP, "condition"),
    "for": (GroupKind.LOOP, "header"),
    "select": (GroupKind.LOOP, "header"),
    "case": (GroupKind.CASE, "header"),
}
_TURNS = {
    "then": (GroupKind.IF, "body"),
    "elif": (GroupKind.IF, "condition"),
    "else": (GroupKind.IF, "body"),
    "do": (GroupKind.LOOP, "body"),
}
_CLOSES = {"}": GroupKind.BRACES, "fi": GroupKind.IF, "done": GroupKind.LOOP, "esac": GroupKind.CASE}
_KEYWORDS = frozenset((*_OPENS, *_TURNS, *_CLOSES, "function", "!"))
_CASE_ENDS = (";;", ";&", ";;&")


def parse(line: str) -> CommandLine:
    """The commands of a line, and which of them matters."""
    commands: list[Command] = []
    parser = _Parser(commands)
    body = parser.run(line)
    exits = exits_of(body)
    return CommandLine(line, body, tuple(commands), parser.is_whole, *exits)


@lru_cache(maxsize=2048)
def parsed(line: str) -> CommandLine:
    """The command line taken apart, once for all who ask."""
    return parse(line)


class _Frame:
    """One level of nesting while it is being read."""

    def __init__(self, kind: GroupKind | None, section: str, folder: str, *, is_function: bool = False) -> None:
        self.kind = kind
        self.section = section  # "header", "condition", "pattern" or "body"
        self.part = 0
        self.folder = folder
        self.is_function = is_function
        self.is_negated = False
        self.awaits = ""  # what a function still lacks: "name", ")" or "body"
        self.pipelines: list[Pipeline] = []
        self.stages: list[Stage] = []
        self.words: list[Word] = []
        self.redirections: list[Redirection] = []
        self.closed: Group | None = None  # a group that ended and may still get redirections

    @property
    def is_in_test(self) -> bool:
        return bool(self.words) and self.words[0].text == "[[" and self.words[-1].text != "]]"


class _Parser:
    """Reads one script. Scripts inside it get a parser of their own and the same list of commands."""

    def __init__(
        self, commands: list[Command], wrappers: tuple[str, ...] = (), folder: str = "", scripts: int = 0
    ) -> None:
        self._commands = commands
        self._wrappers = wrappers
        self._scripts = scripts
        self._frames = [_Frame(None, "body", folder)]
        self.is_whole = True

    def run(self, text: str) -> tuple[Pipeline, ...]:
        lexed = lex(text)
        for token in lexed.tokens:
            self._take(self._frames[-1], token)
        self.is_whole = self.is_whole and lexed.is_whole and len(self._frames) == 1 and not self._frames[0].is_in_test
        while len(self._frames) > 1:
            self._pop()
        self._end_pipeline("")
        return tuple(self._frames[0].pipelines)

    def _take(self, frame: _Frame, token: Token) -> None:
        if frame.awaits == ")" and token != Operator(")"):
            self.is_whole = False
            frame.awaits = ""
        if frame.is_in_test:
            frame.words.append(_as_word(token))
        elif frame.kind is GroupKind.CASE and frame.section in ("header", "pattern"):
            self._take_in_case(frame, token)
        elif isinstance(token, Redirection):
            frame.redirections.append(token)
        elif isinstance(token, Operator):
            self._operator(frame, token.text)
        else:
            self._word(frame, token)

    def _take_in_case(self, frame: _Frame, token: Token) -> None:
        if frame.section == "header":
            if isinstance(token, Word) and token.text == "in" and not token.is_quoted:
                frame.section = "pattern"
        elif isinstance(token, Word) and token.text == "esac":
            self._close(GroupKind.CASE)
        elif isinstance(token, Operator) and token.text == ")":
            frame.section = "body"
            frame.part += 1

    def _word(self, frame: _Frame, word: Word) -> None:
        is_keyword = word.text in _KEYWORDS and not word.is_quoted
        if frame.closed:
            self.is_whole = self.is_whole and is_keyword
            self._end_pipeline(";")
        if frame.awaits == "name":
            frame.awaits = "body"
        elif is_keyword and not frame.words and (frame.section != "header" or word.text == "do"):
            self._keyword(frame, word.text)
        else:
            frame.words.append(word)

    def _keyword(self, frame: _Frame, text: str) -> None:
        if text in _OPENS:
            self._open(*_OPENS[text])
        elif text in _TURNS:
            self._turn(*_TURNS[text])
        elif text in _CLOSES:
            self._close(_CLOSES[text])
        elif text == "function":
            frame.awaits = "name"
        else:
            frame.is_negated = True

    def _operator(self, frame: _Frame, text: str) -> None:
        if text == "(":
            self._parenthesis(frame)
        elif text == ")":
            self._find_closing(frame)
        elif text in PIPES:
            self._end_stage(text)
        elif text != "\n" or frame.words or frame.closed or not frame.stages:
            self._end_pipeline(text)
            if text in _CASE_ENDS and frame.kind is GroupKind.CASE:
                frame.section = "pattern"

    def _parenthesis(self, frame: _Frame) -> None:
        """A subshell, or the `()` after the name of a function."""
        if frame.awaits == "body":
            return
        if not frame.words and not frame.closed:
            self._open(GroupKind.SUBSHELL, "body")
        elif len(frame.words) == 1 and not frame.words[0].is_quoted:
            frame.awaits = ")"
        else:
            self.is_whole = False

    def _find_closing(self, frame: _Frame) -> None:
        if frame.awaits == ")":
            frame.words.clear()
            frame.awaits = "body"
        elif frame.awaits != "body":
            self._close(GroupKind.SUBSHELL)

    def _open(self, kind: GroupKind, section: str) -> None:
        parent = self._frames[-1]
        if len(self._frames) > _MOST_FRAMES:
            self.is_whole = False
            return
        self._frames.append(_Frame(kind, section, parent.folder, is_function=parent.awaits == "body"))
        parent.awaits = ""

    def _turn(self, kind: GroupKind, section: str) -> None:
        frame = self._frames[-1]
        if frame.kind is not kind:
            self.is_whole = False
            return
        self._end_pipeline(";")
        frame.section = section
        frame.part += 1

    def _close(self, kind: GroupKind) -> None:
        if all(frame.kind is not kind for frame in self._frames):
            self.is_whole = False
            return
        while self._frames[-1].kind is not kind:
            self.is_whole = False
            self._pop()
        self._pop()

    def _pop(self) -> None:
        self._end_pipeline("")
        frame, parent = self._frames.pop(), self._frames[-1]
        kind = GroupKind.FUNCTION if frame.is_function else frame.kind
        if kind not in (GroupKind.SUBSHELL, GroupKind.FUNCTION):
            parent.folder = frame.folder
        if kind is not None:
            parent.closed = Group(kind, tuple(frame.pipelines))

    def _end_pipeline(self, joint: str) -> None:
        self._end_stage(joint)
        frame = self._frames[-1]
        if frame.stages:
            is_condition = frame.section == "condition"
            frame.pipelines.append(Pipeline(tuple(frame.stages), joint, frame.is_negated, is_condition, frame.part))
        elif joint in ("&&", "||"):
            self.is_whole = False
        frame.stages.clear()
        frame.is_negated = False

    def _end_stage(self, joint: str) -> None:
        frame = self._frames[-1]
        if frame.closed:
            frame.stages.append(frame.closed._replace(redirections=tuple(frame.redirections)))
        elif frame.section != "header" and (frame.words or frame.redirections):
            frame.stages.append(self._simple(frame, joint))
        elif joint in PIPES:
            self.is_whole = False
        frame.closed = None
        frame.words.clear()
        frame.redirections.clear()

    def _simple(self, frame: _Frame, joint: str) -> Stage:
        """A simple command, or the group that stands for the script of a shell."""
        simple = take_apart(frame.words, frame.redirections)
        script = simple.script if self._scripts < _MOST_SCRIPTS else None
        if script:
            wrappers = (*self._wrappers, *simple.unwrapped.wrappers, simple.unwrapped.program)
            parser = _Parser(self._commands, wrappers, frame.folder, self._scripts + 1)
            body = parser.run(script.text)
            self.is_whole = self.is_whole and parser.is_whole
            if body:
                return Group(GroupKind.SCRIPT, body, simple.redirections, script.options)
        is_stage = bool(frame.stages)
        command = command_from(simple, len(self._commands), frame.folder, self._wrappers, joint, is_stage=is_stage)
        self._commands.append(command)
        frame.folder = folder_after(command, is_stage=is_stage)
        return command


def _as_word(token: Token) -> Word:
    """Inside `[[ ]]` operators are words."""
    if isinstance(token, Word):
        return token
    return Word(token.text if isinstance(token, Operator) else f"{token.operator}{token.target}")
