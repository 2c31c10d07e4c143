"""Which rules may be named."""

import pytest

from afterwit.harvest.rule_advice import is_known_check, is_known_rule


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(
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


def test_a_check_within_a_linter_is_named_as_carefully() -> None:
    assert is_known_check("")
    assert is_known_check("unused-parameter")
    assert not is_known_check("always-run-zorb")
