"""What a test of a fix could assert, as far as its lines tell: a value that changed, an error that is raised now. Pure.

Only what follows from the code itself is derived: a constant, what a function without arguments returns, a default, and
an error behind a guard clause on one argument, for which an argument can be made. Code is parsed and never run.
Everything else is left to whoever writes the test: a wrong assertion would be worse than none.
"""

import ast
import builtins
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from afterwit.sources.git import Hunk

_MOST = 4
_LONGEST = 200
_SCRIPT_CONSTANT = re.compile(
    r"export const (?P<name>[A-Za-z_$][\w$]{0,80})(?::[^=]{1,80}| )= ?(?P<value>[^;= ][^;]{0,200});?\Z"
)
_SCRIPT_FUNCTION = re.compile(
    r"export (?P<async>async )?function (?P<name>[A-Za-z_$][\w$]{0,80}) ?\((?P<arguments>[^()]{0,200})\)"
)
_SCRIPT_RETURN = re.compile(r"return (?P<value>[^;]{1,200});?\Z")
_SCRIPT_THROW = re.compile(
    r"(?:if \((?P<condition>[^()]{1,100})\) ?\{? ?)?throw new (?P<error>\w{1,40})"
    r"\((?P<message>\"[^\"]{0,200}\"|'[^']{0,200}')\)"
)
_SCRIPT_GUARD = re.compile(r"if \((?P<condition>[^()]{1,100})\) ?\{?\Z")
_SCRIPT_EMPTY = re.compile(r"!(?P<name>[\w$]+)\Z|(?P<other>[\w$]+) ?={2,3} ?(?P<value>undefined|null|\"\"|''|0)\Z")
_SCRIPT_LITERAL = re.compile(r"-?\d+(?:\.\d+)?|true|false|null|\"[^\"\\$]*\"|'[^'\\$]*'\Z")


class DerivedAssertion(NamedTuple):
    """Something that holds since the fix."""

    name: str  # of what is imported
    lines: tuple[str, ...]  # of the test's body
    is_async: bool = False


def python_assertions(source: str, hunks: Sequence[Hunk]) -> list[DerivedAssertion]:
    """What the changed lines of a Python file let a test assert."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    changed = _lines_changed(hunks)
    derived: list[DerivedAssertion] = []
    for node in tree.body:
        if isinstance(node, ast.Assign | ast.AnnAssign) and changed.intersection(_span(node)):
            derived += _of_constant(node)
        elif isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            derived += _of_function(node, changed)
    return derived[:_MOST]


def script_assertions(source: str, hunks: Sequence[Hunk]) -> list[DerivedAssertion]:
    """The same of a TypeScript or JavaScript file."""
    lines = source.splitlines()
    derived: list[DerivedAssertion] = []
    for number in sorted(_lines_changed(hunks)):
        line = lines[number - 1] if 0 < number <= len(lines) else ""
        constant = _SCRIPT_CONSTANT.match(line.rstrip())
        if constant and _SCRIPT_LITERAL.fullmatch(constant["value"]):
            derived.append(
                DerivedAssertion(constant["name"], (f"expect({constant['name']}).toBe({constant['value']});",))
            )
        else:
            derived += _of_script_line(lines, number)
    return list(dict.fromkeys(derived))[:_MOST]


def _lines_changed(hunks: Iterable[Hunk]) -> frozenset[int]:
    return frozenset(hunk.after_first + at for hunk in hunks for at in range(len(hunk.after)))


def _span(node: ast.stmt) -> range:
    return range(node.lineno, (node.end_lineno or node.lineno) + 1)


def _literal(node: ast.expr | None) -> str | None:
    """A literal as it is written; None where it is no short one."""
    if node is None:
        return None
    try:
        value = ast.literal_eval(node)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None
    text = repr(value)
    return text if len(text) <= _LONGEST and "\n" not in text else None


def _of_constant(node: ast.Assign | ast.AnnAssign) -> Iterator[DerivedAssertion]:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    value = _literal(node.value)
    if value is not None and len(targets) == 1 and isinstance(targets[0], ast.Name):
        name = targets[0].id
        yield DerivedAssertion(name, (f"assert {name} == {value}",))


def _of_function(node: ast.FunctionDef, changed: frozenset[int]) -> Iterator[DerivedAssertion]:
    arguments = node.args
    required = _parameters_required(arguments)
    body = [part for part in node.body if not _is_docstring(part)]
    last = body[-1] if body else None
    if not required and len(body) == 1 and isinstance(last, ast.Return) and changed.intersection(_span(last)):
        value = _literal(last.value)
        if value is not None:
            yield DerivedAssertion(node.name, (f"assert {node.name}() == {value}",))
    for part in body:
        if isinstance(part, ast.If) and changed.intersection(_span(part)) and len(required) <= 1:
            yield from _of_guard(node.name, part, required)


def _parameters_required(arguments: ast.arguments) -> list[str]:
    """The names of arguments without a default."""
    positional = [*arguments.posonlyargs, *arguments.args]
    names = [argument.arg for argument in positional[: len(positional) - len(arguments.defaults)]]
    keywords = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    return names + [argument.arg for argument, default in keywords if default is None]


def _of_guard(function: str, clause: ast.If, required: Sequence[str]) -> Iterator[DerivedAssertion]:
    """`if not name: raise ValueError("…")`, with an argument for which the condition holds."""
    raised = clause.body[-1]
    if not isinstance(raised, ast.Raise) or not isinstance(raised.exc, ast.Call):
        return
    error, given = raised.exc.func, _argument(clause.test)
    if not isinstance(error, ast.Name) or not hasattr(builtins, error.id) or given is None:
        return
    name, value = given
    if required and required != [name]:
        return
    message = _literal(raised.exc.args[0]) if raised.exc.args else None
    match = f", match=re.escape({message})" if message is not None and message[:1] in "'\"" else ""
    call = f"{function}({name}={value})"
    yield DerivedAssertion(function, (f"with pytest.raises({error.id}{match}):", f"    {call}"))


def _argument(test: ast.expr) -> tuple[str, str] | None:
    """An argument, and a value for which the condition holds."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not) and isinstance(test.operand, ast.Name):
        return test.operand.id, '""'
    if not isinstance(test, ast.Compare) or len(test.ops) != 1 or not isinstance(test.left, ast.Name):
        return None
    name, right = test.left.id, test.comparators[0]
    value = ast.literal_eval(right) if isinstance(right, ast.Constant) else ...
    if isinstance(test.ops[0], ast.Is | ast.Eq) and value is not ...:
        return name, repr(value)
    if isinstance(value, int) and not isinstance(value, bool):
        steps: dict[type[ast.cmpop], int] = {ast.Lt: -1, ast.LtE: 0, ast.Gt: 1, ast.GtE: 0}
        step = steps.get(type(test.ops[0]))
        return None if step is None else (name, repr(value + step))
    return None


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _of_script_line(lines: Sequence[str], number: int) -> Iterator[DerivedAssertion]:
    """What a changed line inside an exported function tells."""
    head = _function_above(lines, number)
    line = lines[number - 1] if 0 < number <= len(lines) else ""
    if head is None:
        return
    function, arguments = head["name"], [part.strip() for part in head["arguments"].split(",") if part.strip()]
    call = "await " if head["async"] else ""
    returned = _SCRIPT_RETURN.match(line.strip())
    is_alone = number >= 2 and _SCRIPT_FUNCTION.match(lines[number - 2]) is not None
    if returned and is_alone and not arguments and _SCRIPT_LITERAL.fullmatch(returned["value"]):
        text = f"expect({call}{function}()).toBe({returned['value']});"
        yield DerivedAssertion(function, (text,), bool(head["async"]))
    thrown = _SCRIPT_THROW.match(line.strip())
    if thrown is None or not thrown["error"].endswith("Error") or len(arguments) != 1:
        return
    above = _SCRIPT_GUARD.match(lines[number - 2].strip()) if number >= 2 else None
    condition = thrown["condition"] or (above["condition"] if above else "")
    empty = _SCRIPT_EMPTY.match(condition.strip())
    argument = re.match(r"[\w$]+", arguments[0])
    if empty is None or argument is None or argument[0] != (empty["name"] or empty["other"]):
        return
    given = f"{function}({empty['value'] or 'undefined'} as never)"
    message = json.dumps(thrown["message"][1:-1])
    if head["async"]:
        yield DerivedAssertion(function, (f"await expect({given}).rejects.toThrow({message});",), is_async=True)
    else:
        yield DerivedAssertion(function, (f"expect(() => {given}).toThrow({message});",))


def _function_above(lines: Sequence[str], number: int) -> re.Match[str] | None:
    """The exported function that a line stands in, if it begins at the margin."""
    for at in range(min(number, len(lines)) - 1, -1, -1):
        line = lines[at]
        if line[:1] not in ("", " ", "\t", ")", "}") or line.startswith("}"):
            return _SCRIPT_FUNCTION.match(line)
    return None
