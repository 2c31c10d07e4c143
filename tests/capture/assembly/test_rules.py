"""Rules in the outputs of linters, type checkers and compilers."""

from tests.every import for_every

from afterwit.capture.assembly.notes import rules_in


@for_every(
    "line, rule, message",
    [
        ("src/a.py:1:8: F401 [*] `os` imported but unused", "F401", "`os` imported but unused"),
        ("src/a.py:3:80: E501 line too long (91 > 79 characters)", "E501", "line too long (91 > 79 characters)"),
        ("F841 [*] Local variable `x` is assigned to but never used", "F841", "Local variable `x` is assigned to"),
        ("src/a.ts(3,7): error TS2322: Type 'string' is not assignable.", "TS2322", "Type 'string'"),
        ("src/a.ts:3:7 - error TS2304: Cannot find name 'plum'.", "TS2304", "Cannot find name"),
        ("error[E0425]: cannot find value `plum` in this scope", "E0425", "cannot find value"),
        ("a.go:3:10: Error return value is not checked (errcheck)", "errcheck", "Error return value"),
        ("a.go:3:10: SA1019: x is deprecated (staticcheck)", "SA1019", "SA1019: x is deprecated"),
        ("a.py:3: error: Incompatible types in assignment  [assignment]", "assignment", "Incompatible types"),
        ("  3:7  error  'x' is never used  no-unused-vars", "no-unused-vars", "'x' is never used"),
        ("  3:7  warning  Use const  @typescript-eslint/prefer-const", "@typescript-eslint/prefer-const", "Use const"),
        ("a.py:1:0: C0114: Missing module docstring (missing-module-docstring)", "missing-module-docstring", "Missing"),
        ("^-- SC2086 (info): Double quote to prevent globbing", "SC2086", "Double quote"),
        ("Pear.cs(3,9): error CS0103: The name 'plum' does not exist", "CS0103", "The name"),
        ("a.go:3:10: error strings should not be capitalized (ST1005)", "ST1005", "error strings"),
        ("[lint:go] pear/a.go:3:10: undefined: plum (typecheck)", "typecheck", "undefined: plum"),
        ("web:types: src/a.ts(3,7): error TS2322: Type 'string' is not assignable.", "TS2322", "Type 'string'"),
        ("packages/web types: src/a.ts(3,7): error TS2322: Type 'string' is not fit.", "TS2322", "Type 'string'"),
        ("    src/a.test.ts:3:7 - error TS2339: Property 'plum' does not exist.", "TS2339", "Property 'plum'"),
        ("TS2339: Property 'plum' does not exist on type 'Pear'.", "TS2339", "Property 'plum'"),
        ("TS2345 [ERROR]: Argument of type 'string' does not fit.", "TS2345", "Argument of type"),
        ("  L12: TS2345 Argument of type 'string' does not fit.", "TS2345", "Argument of type"),
        ("lint\tRun lint\t2026-05-01T10:00:00.1234567Z ##[error]a.go:3:1: not checked (errcheck)", "errcheck", "not"),
        (
            "lint\tRun lint\t2026-05-01T10:00:00.1234567Z ./a.ts:3:7 lint/style/useConst  FIXABLE  ━━━",
            "lint/style/useConst",
            "",
        ),
        ("   = note: `-D clippy::collapsible-if` implied; clippy::collapsible_if", "clippy::collapsible_if", ""),
    ],
)
def test_a_reported_rule_is_found_with_its_message(line: str, rule: str, message: str) -> None:
    found = rules_in(f"checking\n{line}\n")
    assert rule in found
    assert found[rule].startswith(message)


def test_biome_says_its_message_below() -> None:
    output = "src/a.ts:3:7 lint/style/useConst  FIXABLE  ━━━━━━\n\n  × This let declares a variable.\n"
    assert rules_in(output) == {"lint/style/useConst": "This let declares a variable."}


@for_every(
    "output",
    [
        "",
        "all fine",
        "HTTP 404 for E501 in the docs",
        "drwxr-xr-x 2 root root 4096 May 1 10:00 src",
        "commit 3f2a1bc (origin/main)",
        "see rule F401 of ruff",
        "note: TS2345 came up again",
        "fixed: the report of TS2345: it was a typo",
    ],
)
def test_prose_and_listings_report_no_rule(output: str) -> None:
    assert rules_in(output) == {}


def test_each_rule_is_taken_once_with_its_first_message() -> None:
    assert rules_in("a.py:1:1: F401 `os` unused\nb.py:1:1: F401 `re` unused\n") == {"F401": "`os` unused"}


def test_a_huge_output_is_bounded() -> None:
    lines = "\n".join(f"a.py:{at}:1: E{at:03} odd thing" for at in range(100, 400))
    assert len(rules_in(lines)) == 40
    assert rules_in("x" * 2_000_000) == {}


def test_colours_do_not_hide_a_rule() -> None:
    assert rules_in("src/a.py:1:8: \x1b[31mF401\x1b[0m `os` unused") == {"F401": "`os` unused"}
