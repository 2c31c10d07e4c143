"""Every text function is linear in its input: 200 KB of any hostile shape cost each of them a bounded amount of work.

The functions are discovered, not listed: whatever takes one string in the packages that read foreign text. Work is
counted by the kernel as processor time of this process, with a bound that lies far above what a linear pass needs and
far below what a quadratic one would take (minutes for one call); the time of day plays no part. Each function gets the
worst shapes and one more; with AFTERWIT_EVERY_SHAPE set it gets all of them, which takes minutes.
"""

import importlib
import inspect
import os
import pkgutil
import re
import signal
import zlib
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from afterwit.model.errors import AfterwitError

_PACKAGES = ("actions", "agents", "capture", "deck", "digest", "guard", "harvest", "knowledge", "recall")
_SIZE = 200_000
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
# At each start of a line this runs over all blank lines that follow; and this looks for its end anew at each opening.
_QUADRATIC = ((re.compile(r"\^\\s[*+]"), re.MULTILINE), (re.compile(r"\.\*\?.*\\\d"), re.DOTALL))


class _TooMuchWorkError(Exception):
    pass


def _functions() -> Iterator[Callable[[str], Any]]:
    for package in _PACKAGES:
        root = importlib.import_module(f"afterwit.{package}")
        for found in pkgutil.walk_packages(root.__path__, f"afterwit.{package}."):
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
    return isinstance(found, re.Pattern) and isinstance(found.pattern, str)


def _is_quadratic(pattern: re.Pattern[str]) -> bool:
    """One that is tried at the beginning of a text alone has no second try that could cost anything."""
    if pattern.pattern.startswith(r"\A"):
        return False
    return any(pattern.flags & flag and form.search(pattern.pattern) for form, flag in _QUADRATIC)


@pytest.fixture
def bounded() -> Iterator[Callable[[Callable[[str], Any], str], None]]:
    def stop(*_: object) -> None:
        raise _TooMuchWorkError

    def call(function: Callable[[str], Any], text: str) -> None:
        signal.setitimer(signal.ITIMER_VIRTUAL, _MOST_WORK_S)
        try:
            found = function(text)
            if inspect.isgenerator(found):
                for _ in found:
                    pass
        except (ValueError, LookupError, OSError, AfterwitError):
            pass  # says that the text is not what it takes; that it does so in time is all that counts here
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)

    before = signal.signal(signal.SIGVTALRM, stop)
    yield call
    signal.signal(signal.SIGVTALRM, before)


def test_text_functions_are_found() -> None:
    assert len(_FUNCTIONS) > 100


def test_no_pattern_has_a_form_that_is_known_to_be_quadratic() -> None:
    found = [name for name, pattern in _patterns() if _is_quadratic(pattern)]
    assert found == []


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system counts no processor time")
@pytest.mark.parametrize("function", _FUNCTIONS, ids=lambda each: f"{each.__module__}.{each.__qualname__}"[9:])
def test_a_text_function_is_linear(
    function: Callable[[str], Any], bounded: Callable[[Callable[[str], Any], str], None]
) -> None:
    slow = []
    for name in _shapes_for(function):
        unit = _SHAPES[name]
        try:
            bounded(function, (unit * (_SIZE // len(unit) + 1))[:_SIZE])
        except _TooMuchWorkError:
            slow.append(name)
    assert slow == []
