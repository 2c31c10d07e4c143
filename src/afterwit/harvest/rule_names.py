"""Which ids of rules of linters and compilers may be named, and what kind of rule they are.

Named to an agent are rules that a known tool ships. Two ways to be known. Codes: a prefix that a tool is known by and
as many digits as its codes have. And whole names, from the lists in `rule_names.toml`, read once. Words that linters
use can be put together to an order (`export-keys-to-public-log`), so no name is known by its words. What a tool says of
a rule is never named, whatever its id. A rule that is refused wrongly costs a reminder.
"""

import tomllib
from functools import cache
from importlib import resources

from afterwit.actions.shell.programs import names
from afterwit.model.text import regex
from afterwit.redaction.plain_names import reads_like_a_sentence

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
_CODE = regex(r"([A-Z]{1,6})(\d{2,5})")
_BIOME = "biome "
_BIOME_GROUP = regex(
    r"(?:lint/(?:a11y|complexity|correctness|nursery|performance|security|style|suspicious)|assist/(?:source|actions))/"
)
_FORMATTING = names(
    "format prettier/prettier gofmt gofumpt goimports gci golines lll whitespace tagalign godot comma-dangle max-len"
    " sort-imports import/order simple-import-sort/imports perfectionist/sort-imports E302 E501 I001 W291 W293 COM812"
    " Q000 line-too-long assist/source/organizeImports"
)
_COMPILER = regex(r"TS\d{4,5}|E\d{4}|C[SA]\d{4}|FS\d{4}|[A-Z]{2,4}\d{5}")
_COMPILING = names(
    "call-arg arg-type attr-defined assignment return-value operator index name-defined call-overload valid-type"
    " override list-item dict-item has-type func-returns-value used-before-def typeddict-item comparison-overlap"
    " reportAttributeAccessIssue reportArgumentType reportCallIssue reportGeneralTypeIssues reportReturnType"
    " reportAssignmentType reportIndexIssue reportUndefinedVariable typecheck"
)
_SAYS_NOTHING = names("abstract default deprecated misc parse return syntax syntax-error E902 E999")
_NAMED_CHECK = regex(r"(?P<check>[A-Za-z][\w-]{2,40}): ")
_CHECKS_WITHIN = ("revive", "gocritic", "govet", "perfsprint", "gosec", "testifylint", "modernize", "staticcheck")


def is_compiling(rule: str) -> bool:
    """Whether a rule means that the code does not compile or its types do not fit."""
    return rule in _COMPILING or bool(_COMPILER.fullmatch(rule))


def is_formatting(rule: str) -> bool:
    """Whether a formatter puts the rule right."""
    return rule in _FORMATTING


def is_telling(rule: str) -> bool:
    """Whether a rule's id may be named and says what it wants: `syntax` does not. Some are so long that the gate would
    take them for a sentence."""
    return is_known_rule(rule) and rule not in _SAYS_NOTHING and not reads_like_a_sentence(short_name(rule))


def short_name(rule: str) -> str:
    """An id without the group that its tool has put it into."""
    return _BIOME_GROUP.sub("", rule, count=1)


def check_within(rule: str, message: str) -> str:
    """The check that a linter of many names at the beginning of its message; "" where it may not be named."""
    check = _NAMED_CHECK.match(message) if rule in _CHECKS_WITHIN else None
    return check["check"] if check and is_known_rule(check["check"]) else ""


def is_known_rule(rule: str) -> bool:
    """Whether a rule's id may be named."""
    code = _CODE.fullmatch(rule)
    if code:
        return code[1] in _DIGITS.get(len(code[2]), ())
    return " " not in rule and (rule in _shipped() or _BIOME_GROUP.sub(_BIOME, rule, count=1) in _shipped())


@cache
def _shipped() -> frozenset[str]:
    tables = tomllib.loads(resources.files(__package__).joinpath("rule_names.toml").read_text("utf-8"))
    plain = {name for listed in tables["plain"].values() for name in listed.split()}
    prefixed = {f"{prefix}{name}" for prefix, listed in tables["prefixed"].items() for name in listed.split()}
    return frozenset(plain | prefixed)
