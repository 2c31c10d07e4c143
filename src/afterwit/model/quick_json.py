"""JSON for processes that live for a few milliseconds: reading and writing without the module `re`.

The standard `json` package loads `re`, which costs a hook half as much again as starting the interpreter. This module
uses the same C scanner and the same C quoting directly, and `json` itself where an interpreter lacks them. Reads what
`json.loads` reads. Writes ASCII, without blanks, and only what JSON has.
"""

try:
    import _json as _quick
except ImportError:
    import json as _quick  # type: ignore[no-redef]

_BLANKS = " \t\n\r"


class _Context:
    """What the scanner asks for: the defaults of `json.loads`."""

    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = float


_SCAN = _quick.make_scanner(_Context) if hasattr(_quick, "make_scanner") else _quick.JSONDecoder().scan_once  # type: ignore[arg-type, attr-defined]
_QUOTE = getattr(_quick, "encode_basestring_ascii", None) or _quick.dumps  # type: ignore[attr-defined]


def loads(text: str) -> object:
    """The value of a JSON text. Raises ValueError, or RecursionError for what is nested too deeply."""
    text = text.strip(_BLANKS)
    try:
        value, end = _SCAN(text, 0)
    except StopIteration:
        raise ValueError("not a JSON text") from None
    if end != len(text):
        raise ValueError("something follows the JSON text")
    result: object = value
    return result


def dumps(value: object) -> str:
    """The text of a value made of dicts with text keys, lists, tuples, texts, numbers, booleans and None."""
    if isinstance(value, str):
        return _quote(value)
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return _number(value)
    if isinstance(value, dict):
        return "{" + ",".join(f"{_quote(key)}:{dumps(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ",".join(map(dumps, value)) + "]"
    raise TypeError(f"{type(value).__name__} has no place in JSON")


def _number(value: float) -> str:
    if value != value or value in (float("inf"), float("-inf")):
        raise ValueError("JSON has no such number")
    return repr(value)


def _quote(text: object) -> str:
    if not isinstance(text, str):
        raise TypeError("keys of a JSON object are texts")
    return str(_QUOTE(text))
