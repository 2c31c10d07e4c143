"""JSON-RPC messages, one on each line: bytes in, requests out; answers in, bytes out.

What is not a request is an `RpcError` that says why, never a crash: half lines, deep nesting, numbers out of range,
wrong types. Texts come out as valid Unicode. Answers of a client to requests of ours do not exist, because we ask
nothing. Pure, and light to load: the standard library's `json` alone.
"""

import json
from collections.abc import Mapping
from enum import IntEnum
from typing import Any, NamedTuple, NoReturn

MOST_BATCHED = 100
_DEEPEST = 64


class Code(IntEnum):
    """What went wrong, in the numbers of JSON-RPC and of MCP."""

    PARSE = -32700
    INVALID_REQUEST = -32600
    METHOD_NOT_FOUND = -32601
    INVALID_PARAMS = -32602
    INTERNAL = -32603
    NO_RESOURCE = -32002  # up to 2025-11-25; later it is a matter of params
    UNSUPPORTED_VERSION = -32022


class RpcError(Exception):
    """Answered as an error of the protocol."""

    def __init__(self, code: Code, message: str, data: Any = None, about: "Id" = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data
        self.about = about  # the request, as far as it is known


class NoResourceError(Exception):
    """There is nothing to read under an address."""


Id = str | int | None


class Request(NamedTuple):
    """A request, or a notification where nobody waits for an answer."""

    id: Id
    method: str
    params: Mapping[str, Any]

    @property
    def is_notification(self) -> bool:
        return self.id is None


def decode(line: bytes) -> Any:
    """The JSON value of a line."""
    try:
        value = json.loads(line.decode("utf-8", "replace"), parse_constant=_refuse)
        return _sound(value, _DEEPEST)
    except (ValueError, RecursionError) as error:
        raise RpcError(Code.PARSE, "This is not a line of JSON.") from error


def request_in(value: Any) -> Request | None:
    """The request that a JSON value is; None for an answer, which nobody waits for."""
    if not isinstance(value, dict):
        raise RpcError(Code.INVALID_REQUEST, "A request is a JSON object.")
    request_id = value.get("id")
    about = request_id if _is_id(request_id) else None
    if value.get("jsonrpc") != "2.0":
        raise RpcError(Code.INVALID_REQUEST, '`jsonrpc` must be "2.0".', about=about)
    if "method" not in value and ("result" in value or "error" in value):
        return None
    method, params = value.get("method"), value.get("params")
    if not isinstance(method, str):
        raise RpcError(Code.INVALID_REQUEST, "`method` must be a text.", about=about)
    if "id" in value and about is None:
        raise RpcError(Code.INVALID_REQUEST, "`id` must be a text or a whole number.")
    if params is not None and not isinstance(params, dict):
        raise RpcError(Code.INVALID_PARAMS, "`params` must be an object.", about=about)
    return Request(about, method, params or {})


def answer(request: Id, result: Mapping[str, Any]) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": request, "result": dict(result)}


def refusal(request: Id, error: RpcError) -> dict[str, Any]:
    body: dict[str, Any] = {"code": int(error.code), "message": error.message}
    if error.data is not None:
        body["data"] = error.data
    return {"jsonrpc": "2.0", "id": request, "error": body}


def encode(message: Any) -> bytes:
    """A message as one line. ASCII alone, so that no client takes a character of a text for the end of the line."""
    return json.dumps(message, separators=(",", ":")).encode("ascii") + b"\n"


def _is_id(value: Any) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool)


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _sound(value: Any, left: int) -> Any:
    """The same value without lone surrogates, which neither a store nor a file can hold."""
    if left == 0:
        raise ValueError("too deep")
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list):
        return [_sound(item, left - 1) for item in value]
    if isinstance(value, dict):
        return {_sound(name, left - 1): _sound(item, left - 1) for name, item in value.items()}
    return value
