"""Patterns are compiled when they are first used, and all of them can be."""

import gc
import importlib
import pkgutil
import re

import pytest

import afterwit
from afterwit.model import text as patterns
from afterwit.model.text import regex


def test_a_pattern_is_compiled_when_it_is_first_used_and_once(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[str] = []
    compile_now = re.compile

    def compiled(pattern: str, flags: int) -> re.Pattern[str]:
        given.append(pattern)
        return compile_now(pattern, flags)

    monkeypatch.setattr(re, "compile", compiled)
    word = regex(r"\w+", re.ASCII)
    assert given == []
    assert word.findall("é wits") == ["wits"]
    assert word.fullmatch("é") is None
    assert given == [r"\w+"]


def test_its_text_can_be_put_into_another_before_it_is_compiled() -> None:
    assert regex(rf"<{regex('[a-z]').pattern}>").sub("_", "<a>b") == "_b"


def test_bytes_have_patterns_too() -> None:
    assert regex(rb"\d+").findall(b"1 and 22") == [b"1", b"22"]


def test_every_pattern_of_the_program_can_be_compiled() -> None:
    for module in pkgutil.walk_packages(afterwit.__path__, "afterwit."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    lazy = [pattern for pattern in gc.get_objects() if isinstance(pattern, patterns._LazyPattern)]
    assert len(lazy) > 100
    for pattern in lazy:
        pattern.search(b"" if isinstance(pattern.pattern, bytes) else "")
