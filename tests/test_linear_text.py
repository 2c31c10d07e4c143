"""Every text function is linear in its input: 200 KB of any hostile shape cost each of them a bounded amount of work.

The functions are discovered, not listed: whatever takes one string in the packages that read foreign text. Work is
counted by the kernel as processor time of this process, with a bound that lies far above what a linear pass needs and
far below what a quadratic one would take (minutes for one call); the time of day plays no part.
"""

import importlib
import inspect
import pkgutil
import signal
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import afterwit.model.errors

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
        except (ValueError, LookupError, afterwit.model.errors.AfterwitError):  # type: ignore[attr-defined]
            pass  # says that the text is not what it takes; that it does so in time is all that counts here
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)

    before = signal.signal(signal.SIGVTALRM, stop)
    yield call
    signal.signal(signal.SIGVTALRM, before)


def test_text_functions_are_found() -> None:
    assert len(_FUNCTIONS) > 100


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system counts no processor time")
@pytest.mark.parametrize("function", _FUNCTIONS, ids=lambda each: f"{each.__module__}.{each.__qualname__}"[9:])
def test_a_text_function_is_linear(
    function: Callable[[str], Any], bounded: Callable[[Callable[[str], Any], str], None]
) -> None:
    slow = []
    for name, unit in _SHAPES.items():
        try:
            bounded(function, (unit * (_SIZE // len(unit) + 1))[:_SIZE])
        except _TooMuchWorkError:
            slow.append(name)
    assert slow == []
