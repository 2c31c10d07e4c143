"""Which ids of rules may be named to an agent: those that a known tool ships, by their whole name.

Two ways to be known. Codes: a prefix that a tool is known by and as many digits as its codes have. And whole names, of
our table of advice or from the lists in `rule_names.toml`. Words that linters use can be put together to an order
(`export-keys-to-public-log`), so no name is known by its words. What a tool says of a rule is never named, whatever its
id. A rule that is refused wrongly costs a reminder.
"""

import re
import tomllib
from functools import cache
from importlib import resources

from afterwit.actions.shell.programs import names
from afterwit.harvest.rules.rule_advice import is_in_table

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


def is_known_rule(rule: str) -> bool:
    """Whether a rule's id may be named."""
    code = _CODE.fullmatch(rule)
    if code:
        return code[1] in _DIGITS.get(len(code[2]), ()) or is_in_table(rule)
    has_blank = " " in rule
    return is_in_table(rule) or (not has_blank and _BIOME_GROUP.sub(_BIOME, rule, count=1) in _shipped())


def is_known_check(check: str) -> bool:
    """Whether the name of a check within a linter may be named."""
    return not check or is_known_rule(check)


@cache
def _shipped() -> frozenset[str]:
    source = resources.files(__package__).joinpath("rule_names.toml").read_text("utf-8")
    tables = tomllib.loads(source)
    plain = {name for listed in tables["plain"].values() for name in listed.split()}
    prefixed = {f"{prefix}{name}" for prefix, listed in tables["prefixed"].items() for name in listed.split()}
    return frozenset(plain | prefixed)
