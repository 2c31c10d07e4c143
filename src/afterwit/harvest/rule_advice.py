"""What well-known rules of linters and compilers want, in words of ours, and which ids of rules may be named.

The table of advice is `rule_advice.toml`, read once. Some ids say something about a piece of work and nothing about the
project, as a type that does not fit: those are momentary, and so are all codes of compilers that the table does not
know. Others are everyday: nobody has to be told. Momentary ones that want the same make a theme.

Named to an agent are rules that a known tool ships. Two ways to be known. Codes: a prefix that a tool is known by and
as many digits as its codes have. And whole names, of the table of advice or from the lists in `rule_names.toml`. Words
that linters use can be put together to an order (`export-keys-to-public-log`), so no name is known by its words. What a
tool says of a rule is never named, whatever its id. A rule that is refused wrongly costs a reminder.
"""

import re
import tomllib
from functools import cache
from importlib import resources
from typing import Any, NamedTuple

from afterwit.actions.shell.programs import names

_DIGITS = {
    # ruff and the plugins of flake8 that it took over, gosec (G), markdownlint
    3: names(
        "A AIR ANN ARG ASYNC B BLE C COM CPY D DAR DJ DOC DTZ E EM ERA EXE F FA FAST FBT FIX FLY FURB G I ICN INP INT"
        " ISC LOG N NPY PD PERF PGH PIE PT PTH PYI Q RET RSE RUF S SIM SLF SLOT T TC TCH TD TID TRIO TRY UP W YTT MD"
    ),
    # pylint, rustc (E), staticcheck, shellcheck, TypeScript, C#, F#, hadolint, NuGet, MSBuild
    4: names("C E F R W PLC PLE PLR PLW SA ST QF U SC TS CS CA IDE FS DL NU MSB NETSDK"),
    5: names("TS"),
    # sqlfluff
    2: names("AL AM CP CV LT RF"),
}
_CODE = re.compile(r"([A-Z]{1,6})(\d{2,5})")
_BIOME = "biome "
_BIOME_GROUP = re.compile(
    r"(?:lint/(?:a11y|complexity|correctness|nursery|performance|security|style|suspicious)|assist/(?:source|actions))/"
)
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
    ids: frozenset[str]  # all rules that it names anywhere, and all checks within them


def advice_for(rule: str, check: str = "") -> Advice | None:
    """What a rule wants, or a check within it; None where the table does not say."""
    advice = _table().advice
    return advice.get(f"{rule}/{check}") or advice.get(rule)


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
    check = _NAMED_CHECK.match(message) if rule in _CHECKS_WITHIN else None
    return check["check"] if check else ""


def _read(name: str) -> dict[str, Any]:
    return tomllib.loads(resources.files(__package__).joinpath(name).read_text("utf-8"))


@cache
def _table() -> _Table:
    tables = _read("rule_advice.toml")
    sets = [frozenset(tables.pop(name)["ids"].split()) for name in ("formatting", "compiling", "momentary", "everyday")]
    themes = {
        rule: Theme(name, theme["advice"])
        for name, theme in tables.pop("themes").items()
        for rule in theme["ids"].split()
    }
    advice: dict[str, Advice] = {}
    for tool, table in tables.items():
        fixable = frozenset(table["fixable"].split())
        advice |= {rule: Advice(text, rule in fixable, tool) for rule, text in table["advice"].items()}
    ids = frozenset(part for name in frozenset().union(themes, advice, *sets) for part in _named(name))
    formatting, compiling, momentary, everyday = sets
    return _Table(themes, advice, formatting, compiling, momentary, everyday, ids)


def _named(name: str) -> tuple[str, ...]:
    """The ids in a key of the table: `revive/exported` names a check of a linter, `react/no-x` is one rule."""
    linter, _, check = name.partition("/")
    return (linter, check) if linter in _CHECKS_WITHIN and check else (name,)


def is_known_rule(rule: str) -> bool:
    """Whether a rule's id may be named."""
    if rule in _table().ids:
        return True
    code = _CODE.fullmatch(rule)
    if code:
        return code[1] in _DIGITS.get(len(code[2]), ())
    return " " not in rule and _BIOME_GROUP.sub(_BIOME, rule, count=1) in _shipped()


def is_known_check(check: str) -> bool:
    """Whether the name of a check within a linter may be named."""
    return not check or is_known_rule(check)


@cache
def _shipped() -> frozenset[str]:
    tables = _read("rule_names.toml")
    plain = {name for listed in tables["plain"].values() for name in listed.split()}
    prefixed = {f"{prefix}{name}" for prefix, listed in tables["prefixed"].items() for name in listed.split()}
    return frozenset(plain | prefixed)
