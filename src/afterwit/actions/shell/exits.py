"""Which command of a line matters, which one decides the exit code, and whose failure the line would report.

`make | tail` ends with tail's exit code: make can fail unseen. Followed here: pipes with and without `pipefail`,
`&&`, `||`, `;`, `&`, `set -e`, groups, branches, loops, `|| exit 1` and a last `exit $code`. The answer is a careful
guess from the text alone: a failure that is only sometimes reported counts as hidden.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, pairwise
from operator import attrgetter
from typing import NamedTuple

from afterwit.actions.shell.tree import Command, Group, GroupKind, Pipeline, Stage


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
    if len(body) == 1 and len(body[0].stages) == 1 and not body[0].joint:
        stage = body[0].stages[0]
        if isinstance(stage, Command) and stage.program not in _SETS:  # most lines are a command alone
            return Exits(stage, stage, frozenset((stage.number,)), has_pipefail=False)
    reach, options = _sequence(body, _Options())
    return Exits(_main(list(_run(body))), reach.deciding, frozenset(reach.reporting | reach.aborting), options.pipefail)


def _main(ran: Sequence[Command]) -> Command | None:
    """The last of the weightiest commands."""
    if not ran:
        return None
    most = max(command.weight for command in ran)
    return next(command for command in reversed(ran) if command.weight == most)


def _run(body: Iterable[Pipeline]) -> Iterator[Command]:
    """The commands that run when the line runs: not those of functions."""
    for pipeline in body:
        for stage in pipeline.stages:
            if isinstance(stage, Command):
                yield stage
            elif stage.kind is not GroupKind.FUNCTION:
                yield from _run(stage.body)


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
        ran = list(_run(body))
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
