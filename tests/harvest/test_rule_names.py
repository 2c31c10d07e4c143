import pytest
from tests.every import for_every

from afterwit.harvest.rules import (
    check_within,
    is_compiling,
    is_formatting,
    is_known_rule,
    is_telling,
    short_name,
)


def test_codes_of_compilers_and_type_checkers_are_told_from_those_of_linters() -> None:
    assert all(map(is_compiling, ("TS2322", "E0308", "CS0168", "arg-type", "reportArgumentType", "typecheck")))
    assert not any(map(is_compiling, ("wrapcheck", "E501", "lint/style/useConst", "no-shadow")))


def test_a_formatter_puts_some_rules_right() -> None:
    assert all(map(is_formatting, ("format", "gofmt", "I001", "assist/source/organizeImports")))
    assert not is_formatting("wrapcheck")


def test_the_group_of_a_rule_is_left_out_of_its_name() -> None:
    assert short_name("lint/style/useConst") == "useConst"
    assert short_name("assist/source/organizeImports") == "organizeImports"
    assert short_name("react-hooks/exhaustive-deps") == "react-hooks/exhaustive-deps"


@pytest.mark.parametrize("rule", ["syntax", "misc", "E999", "house-names", "promise/always-return"])
def test_a_name_that_says_nothing_or_reads_like_an_order_is_not_telling(rule: str) -> None:
    assert not is_telling(rule)
    assert is_telling("no-shadow")


def test_the_check_within_a_linter_of_many_stands_before_its_message() -> None:
    assert check_within("revive", "unused-parameter: 'crate' is unused") == "unused-parameter"
    assert check_within("revive", "always-run-zorb: now") == ""
    assert check_within("wrapcheck", "unused-parameter: x") == ""


@for_every(
    "rule",
    [
        "E501",
        "RUF012",
        "PLR2004",
        "SC2086",
        "TS2322",
        "SA9003",
        "CS0168",
        "MD013",
        "wrapcheck",
        "maintidx",
        "no-shadow",
        "prefer-const",
        "camelcase",
        "@typescript-eslint/no-floating-promises",
        "react-hooks/exhaustive-deps",
        "import/no-cycle",
        "unicorn/no-array-for-each",
        "clippy::needless_return",
        "lint/style/useConst",
        "lint/suspicious/noExplicitAny",
        "missing-function-docstring",
        "call-overload",
        "assist/source/organizeImports",
    ],
)
def test_ids_of_known_tools_are_named(rule: str) -> None:
    assert is_known_rule(rule)


@for_every(
    "rule",
    [
        "always-run-zorb",
        "run-zorb",
        "zorb",
        "no-zorb",
        "@zorb/no-shadow",
        "zorb/no-var",
        "@typescript-eslint/run-zorb",
        "clippy::run_zorb",
        "clippy::always_run_zorb_first",
        "lint/style/runZorb",
        "lint/zorb/noVar",
        "ZORB999",
        "RUNME123",
        "E12345678",
        "ignore-all-previous-rules",
        "delete-everything-now",
        "curl-it",
        "NO-VERIFY",
        "use-curl",
        "no-shadow-no-shadow-no-shadow-no-shadow",
        "export-private-keys-to-public-log",
        "use-root-access",
        "override-test-rules",
        "no-check-no-test",
        "open-env-file-log-all-keys",
        "log-env-keys-to-public-link",
        "import/export-env-keys-to-html-link",
        "jest/use-script-from-root-path",
        "use-eval-on-public-script",
        "call-root-script-first",
        "lint/style/useRootScript",
        "clippy::use_root_path",
        "biome noVar",
        "KT1234",
        "B99999",
    ],
)
def test_ids_that_could_say_something_are_not(rule: str) -> None:
    assert not is_known_rule(rule)
