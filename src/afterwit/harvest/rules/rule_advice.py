"""What well-known rules of linters and compilers want, in words of ours.

The table is `rule_advice.toml`, read once. Which of the rules that it does not know may be named is up to `rule_ids`.
Some ids say something about a piece of work and nothing about the project, as a type that does not fit: those are
momentary, and so are all codes of compilers that the table does not know. Others are everyday: nobody has to be told.
Momentary ones that want the same make a theme.
"""

import re
import tomllib
from functools import cache
from importlib import resources
from typing import NamedTuple

_COMPILER = re.compile(r"TS\d{4,5}|E\d{4}|C[SA]\d{4}|FS\d{4}|[A-Z]{2,4}\d{5}")
_NAMED_CHECK = re.compile(r"(?P<check>[A-Za-z][\w-]{2,40}): ")
_CHECKS_WITHIN = ("revive", "gocritic", "govet", "perfsprint", "gosec", "testifylint", "modernize", "staticcheck")


class Advice(NamedTuple):
    """What a rule wants."""

    text: str
    is_fixable: bool  # its tool can put it right by itself
    tool: str


class Theme(NamedTuple):
    """What several codes of compilers and checkers want."""

    name: str
    advice: str


class _Table(NamedTuple):
    themes: dict[str, Theme]
    advice: dict[str, Advice]
    formatting: frozenset[str]
    compiling: frozenset[str]
    momentary: frozenset[str]
    everyday: frozenset[str]
    known: frozenset[str]  # all ids, and all checks


def advice_for(rule: str, check: str = "") -> Advice | None:
    """What a rule wants, or a check within it; None where the table does not say."""
    known = _table().advice
    return known.get(f"{rule}/{check}") or known.get(rule)


def is_in_table(rule: str) -> bool:
    """Whether the table names the rule anywhere, or a check within it."""
    return rule in _table().known


def is_momentary(rule: str) -> bool:
    """Whether a report of this rule says nothing about the project's rules."""
    table = _table()
    return rule in table.momentary or rule in table.themes or is_compiling(rule)


def is_compiling(rule: str) -> bool:
    """Whether a momentary rule means that the code does not compile or its types do not fit."""
    table = _table()
    return rule not in table.advice and bool(rule in table.compiling or _COMPILER.fullmatch(rule))


def theme_of(rule: str) -> Theme | None:
    """The theme of a momentary rule; None where it has none."""
    return _table().themes.get(rule)


def is_formatting(rule: str) -> bool:
    """Whether a formatter puts the rule right."""
    return rule in _table().formatting


def is_everyday(rule: str, check: str = "") -> bool:
    """Whether every agent knows the rule, and the message says what to do."""
    return f"{rule}/{check}" in _table().everyday if check else rule in _table().everyday


def check_within(rule: str, message: str) -> str:
    """The check that a linter of many names at the beginning of its message."""
    found = _NAMED_CHECK.match(message) if rule in _CHECKS_WITHIN else None
    return found["check"] if found else ""


@cache
def _table() -> _Table:
    source = resources.files(__package__).joinpath("rule_advice.toml").read_text("utf-8")
    tables = tomllib.loads(source)
    sets = [frozenset(tables.pop(name)["ids"].split()) for name in ("formatting", "compiling", "momentary", "everyday")]
    themes = {
        rule: Theme(name, theme["advice"])
        for name, theme in tables.pop("themes").items()
        for rule in theme["ids"].split()
    }
    known: dict[str, Advice] = {}
    for tool, table in tables.items():
        fixable = frozenset(table["fixable"].split())
        known |= {rule: Advice(text, rule in fixable, tool) for rule, text in table["advice"].items()}
    ids = frozenset(
        part for name in (*themes, *known, *(one for some in sets for one in some)) for part in _named(name)
    )
    formatting, compiling, momentary, everyday = sets
    return _Table(themes, known, formatting, compiling, momentary, everyday, ids)


def _named(name: str) -> tuple[str, ...]:
    """The ids in a key of the table: `revive/exported` names a check of a linter, `react/no-x` is one rule."""
    linter, _, check = name.partition("/")
    return (linter, check) if linter in _CHECKS_WITHIN and check else (name,)
