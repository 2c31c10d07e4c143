"""Every text function is linear in its input: four times as much of any hostile shape costs about four times the steps.

The functions are discovered, not listed: whatever takes one string in the packages that read foreign text. Steps are
lines of Python that were run, so the time of day and the load of the machine play no part. What the regular expression
engine does in one such step is covered by reading the patterns (`regex_steps`), and a generous limit of processor time
on one large text stands behind both. Each function gets the worst shapes and one more; with AFTERWIT_EVERY_SHAPE set it
gets all of them.
"""

import importlib
import inspect
import os
import pkgutil
import re
import signal
import sys
import zlib
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

import apsw
import pytest
from tests.every import per_group
from tests.regex_steps import faults

from afterwit.model.errors import AfterwitError
from afterwit.model.text import regex

_PACKAGES = (
    "actions",
    "agents",
    "capture",
    "digest",
    "extras.fixes",
    "harvest",
    "knowledge",
    "model",
    "recall",
    "redaction",
    "repos",
)
_WRITES = "afterwit.recall.hook.entry"  # a text is the path of a file there
_FEW, _MANY = 750, 3_000
_MOST_GROWTH = 1.6  # times what four times the text may cost: a quadratic step makes it four
_FREE_STEPS = 3_000
_SIZE = 100_000
_MOST_WORK_S = 6.0
_SHAPES = {
    "new lines": "\n",
    "indented new lines": "\n ",
    "blanks": " ",
    "tags": "<a>",
    "closing tags": "</a>",
    "opened tags": "<a ",
    "comments": "<!--",
    "backticks": "`",
    "double quotes": '"',
    "single quotes": "'",
    "brackets": "[",
    "parentheses": "(",
    "nested objects": '{"a":',
    "commas": ",",
    "placeholders": "‹",
    "backslashes": "\\",
    "substitutions": "$(",
    "slashes": "/",
    "folders": "/a",
    "dashes": "-",
    "dots": ".",
    "digits": "1",
    "letters": "a",
    "capitals": "A",
    "addresses": "a@",
    "assignments": "a=",
    "words": "a ",
    "lines": "a\n",
    "markers": "[afterwit notes from past sessions]",
    "escapes": "\x1b[",
    "stars": "*",
    "pipes": "|",
    "colons": ":",
}
_WORST = ("new lines", "tags")
# Patterns whose form the check takes for slow and that nobody has cleared: most are given one line, one command or one
# path, which their callers cut. The list may only become shorter.
_NOT_CLEARED = frozenset(
    {
        "actions.failures.messages.CODE_PLACE",
        "actions.failures.excerpt._ALL_CLEAR",
        "actions.failures.excerpt._HEADLINE",
        "actions.failures.signature._HOST",
        "actions.failures.signature._PATH",
        "agents.crush.reader._EXIT",
        "agents.pi.reader._NAME",
        "repos.folders._ATTACHED",
        "repos.folders._COLLECTED",
        "model.prices._AFTER_NAME",
        "repos.remotes._URL",
        "digest.digester._SHOWN",
        "capture.assembly.notes._HEREDOC",
        "capture.assembly.notes._SHAPES",
        "capture.assembly.notes._TASK",
        "redaction.plain_names._WORD",
        "harvest.commands.harmless_table.DOMAIN",
        "harvest.commands.harmless_table.HOST_PORT",
        "harvest.commands.harmless_table.USER_AT",
        "knowledge.gate._VERB",
        "knowledge.host_text._HEADING",
        "knowledge.likeness._CLAUSE",
        "knowledge.likeness._TOKEN",
    }
)


class _TooMuchWorkError(Exception):
    pass


def _functions() -> Iterator[Callable[[str], Any]]:
    for package in _PACKAGES:
        root = importlib.import_module(f"afterwit.{package}")
        for found in pkgutil.walk_packages(root.__path__, f"afterwit.{package}."):
            if found.name == _WRITES:
                continue
            module = importlib.import_module(found.name)
            yield from (each for each in vars(module).values() if _is_text_function(each, found.name))


def _is_text_function(found: object, module: str) -> bool:
    if not inspect.isfunction(found) or found.__module__ != module:
        return False
    needed = [one for one in inspect.signature(found).parameters.values() if one.default is one.empty]
    is_plain = len(needed) == 1 and needed[0].kind in (needed[0].POSITIONAL_ONLY, needed[0].POSITIONAL_OR_KEYWORD)
    return is_plain and needed[0].annotation in (str, "str")


_FUNCTIONS = sorted(_functions(), key=lambda each: f"{each.__module__}.{each.__qualname__}")


def _shapes_for(function: Callable[[str], Any]) -> list[str]:
    if "AFTERWIT_EVERY_SHAPE" in os.environ:
        return list(_SHAPES)
    others = [name for name in _SHAPES if name not in _WORST]
    return [*_WORST, others[zlib.crc32(f"{function.__module__}.{function.__qualname__}".encode()) % len(others)]]


def _patterns() -> Iterator[tuple[str, re.Pattern[str]]]:
    for package in _PACKAGES:
        root = importlib.import_module(f"afterwit.{package}")
        for found in pkgutil.walk_packages(root.__path__, f"afterwit.{package}."):
            for name, value in vars(importlib.import_module(found.name)).items():
                held = value if isinstance(value, (tuple, list)) else (value,)
                yield from ((f"{found.name}.{name}", one) for one in held if _is_text_pattern(one))


def _is_text_pattern(found: object) -> bool:
    is_pattern = isinstance(found, re.Pattern | type(regex("")))  # compiled at once, or when it is first used
    return is_pattern and isinstance(getattr(found, "pattern"), str)  # noqa: B009


def _is_searched(name: str) -> bool:
    """Whether the pattern is tried at every place of a text, as far as its own module tells."""
    module, _, variable = name.rpartition(".")
    source = inspect.getsource(importlib.import_module(module))
    used = set(re.findall(rf"\b{re.escape(variable)}\.(\w+)\(", source))
    return not used or bool(used - {"match", "fullmatch"})


def _steps(function: Callable[[str], Any], text: str, most: int) -> int:
    """How many lines of Python the function runs, counted to `most`."""
    count = 0

    def trace(frame: FrameType, event: str, _: object) -> Any:
        nonlocal count
        count += event == "line"
        if count > most:
            raise _TooMuchWorkError
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        _run(function, text)
    except _TooMuchWorkError:
        pass
    finally:
        sys.settrace(before)
    return count


def _run(function: Callable[[str], Any], text: str) -> None:
    try:
        found = function(text)
        if inspect.isgenerator(found):
            for _ in found:
                pass
    except (ValueError, LookupError, OSError, AfterwitError, apsw.Error):
        pass  # says that the text is not what it takes; what that costs is all that counts here


def _sized(shape: str, size: int) -> str:
    unit = _SHAPES[shape]
    return (unit * (size // len(unit) + 1))[:size]


@pytest.fixture
def bounded() -> Iterator[Callable[[Callable[[str], Any], str], None]]:
    def stop(*_: object) -> None:
        raise _TooMuchWorkError

    def call(function: Callable[[str], Any], text: str) -> None:
        signal.setitimer(signal.ITIMER_VIRTUAL, _MOST_WORK_S)
        try:
            _run(function, text)
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)

    before = signal.signal(signal.SIGVTALRM, stop)
    yield call
    signal.signal(signal.SIGVTALRM, before)


per_room = per_group("function", _FUNCTIONS, lambda each: each.__module__.split(".")[1])


def test_text_functions_are_found() -> None:
    assert len(_FUNCTIONS) > 100


def test_no_pattern_has_a_form_that_makes_the_engine_try_again_and_again() -> None:
    found = {name[9:] for name, pattern in _patterns() if faults(pattern, is_searched=_is_searched(name))}
    assert found - _NOT_CLEARED == set()
    assert _NOT_CLEARED - found == set(), "these are mended: take them off the list"


@pytest.mark.parametrize(
    ("pattern", "is_slow"),
    [
        (r"(?:a+)+b", True),
        (r"\s*\s*x", True),
        (r"\s+$", True),
        (r"(?m)^\s*x", True),
        (r"\w+@", True),
        (r"\b\w+@", False),
        (r"(?<!\s)\s+$", False),
        (r"(?m)^[ \t]*x", False),
        (r"(?:\s+\w+)*x", True),
        (r"-(?:\s+\w+)*x", False),
    ],
)
def test_a_slow_pattern_is_known_by_its_form(pattern: str, is_slow: bool) -> None:
    assert bool(faults(re.compile(pattern), is_searched=True)) is is_slow


@per_room
def test_a_text_function_takes_steps_in_proportion_to_its_text(function: Callable[[str], Any]) -> None:
    slow = []
    for shape in _shapes_for(function):
        _run(function, _sized(shape, 8))  # what is made once, at the first call, is no cost of the text
        few = _steps(function, _sized(shape, _FEW), sys.maxsize)
        most = int(few * (_MANY / _FEW) * _MOST_GROWTH) + _FREE_STEPS
        if _steps(function, _sized(shape, _MANY), most) > most:
            slow.append(shape)
    assert slow == []


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system counts no processor time")
@per_room
def test_a_large_text_is_done_within_a_generous_limit(
    function: Callable[[str], Any], bounded: Callable[[Callable[[str], Any], str], None]
) -> None:
    bounded(function, _sized(_WORST[0], _SIZE))
