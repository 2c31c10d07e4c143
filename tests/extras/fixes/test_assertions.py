import pytest

from afterwit.extras.fixes.assertions import python_assertions, script_assertions
from afterwit.sources.git import Hunk


def whole(source: str) -> list[Hunk]:
    """All lines are new."""
    return [Hunk(0, (), 1, tuple(source.splitlines()))]


def python(source: str) -> list[str]:
    return [line for derived in python_assertions(source, whole(source)) for line in derived.lines]


def script(source: str) -> list[str]:
    return [line for derived in script_assertions(source, whole(source)) for line in derived.lines]


def test_a_constant_that_changed_is_asserted() -> None:
    assert python("LIMIT = 30\n") == ["assert LIMIT == 30"]
    assert python("NAMES: tuple[str, ...] = ('a', 'b')\n") == ["assert NAMES == ('a', 'b')"]
    assert python("LIMIT = compute()\n") == []


def test_what_a_function_without_arguments_returns_is_asserted() -> None:
    assert python('def depth():\n    """How deep."""\n    return 3\n') == ["assert depth() == 3"]
    assert python("def depth(tree):\n    return 3\n") == []


@pytest.mark.parametrize(
    ("condition", "argument"),
    [("not name", '""'), ("name is None", "None"), ("name < 0", "-1"), ("name > 9", "10"), ("name == 'x'", "'x'")],
)
def test_an_error_behind_a_guard_clause_is_asserted(condition: str, argument: str) -> None:
    source = f"def grow(name, rain=1):\n    if {condition}:\n        raise ValueError('no tree')\n    return name\n"
    assert python(source) == [
        "with pytest.raises(ValueError, match=re.escape('no tree')):",
        f"    grow(name={argument})",
    ]


@pytest.mark.parametrize(
    "source",
    [
        "def grow(name, rain):\n    if not name:\n        raise ValueError('x')\n",
        "def grow(name):\n    if name.is_dead():\n        raise ValueError('x')\n",
        "def grow(name):\n    if not name:\n        raise OwnError('x')\n",
        "def _grow(name):\n    if not name:\n        raise ValueError('x')\n",
        "class Tree:\n    def grow(self):\n        return 1\n",
        "def (:\n",
    ],
)
def test_what_does_not_follow_is_not_asserted(source: str) -> None:
    assert python(source) == []


def test_only_changed_lines_count() -> None:
    source = "LIMIT = 30\nOTHER = 4\n"
    (derived,) = python_assertions(source, [Hunk(2, ("OTHER = 3",), 2, ("OTHER = 4",))])
    assert derived.name == "OTHER"


def test_scripts_are_read_line_by_line() -> None:
    assert script("export const LIMIT = 30;\n") == ["expect(LIMIT).toBe(30);"]
    assert script("export const NAME: string = 'a';\n") == ["expect(NAME).toBe('a');"]
    assert script("export const LIMIT = compute();\n") == []
    assert script("export function depth() {\n  return 3;\n}\n") == ["expect(depth()).toBe(3);"]


def test_an_error_that_is_thrown_now_is_asserted() -> None:
    source = "export function grow(name: string) {\n  if (!name) {\n    throw new Error('no tree');\n  }\n}\n"
    assert script(source) == ['expect(() => grow(undefined as never)).toThrow("no tree");']
    late = 'export async function grow(name: string) {\n  if (name === null) throw new TypeError("none");\n}\n'
    assert script(late) == ['await expect(grow(null as never)).rejects.toThrow("none");']
    assert script("export function grow(a, b) {\n  if (!a) throw new Error('x');\n}\n") == []


def test_long_and_odd_sources_are_looked_at_in_linear_time() -> None:
    script("export function grow(" + "a" * 50_000 + "\n" + "  if (" * 10_000 + "\n")
    python("(" * 5_000)
