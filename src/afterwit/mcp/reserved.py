"""Names that clients keep for themselves among the parameters of every tool, by client.

OpenHands 1.16 makes a class of each tool. A parameter named `kind`, or like some methods of the class, is an error;
with the other names below it hides a method, of which OpenHands only warns. It also adds two parameters of its own.
Gemini CLI 0.61 adds one, and nothing was found in its code that takes it out again before the call. No tool of ours may
have such a parameter: a test compares. Those that are added are not looked at in a call.
"""

from collections.abc import Mapping

ADDED: Mapping[str, frozenset[str]] = {
    "gemini": frozenset(("wait_for_previous",)),
    "openhands": frozenset(("security_risk", "summary")),
}
TAKEN: Mapping[str, frozenset[str]] = {
    "openhands": frozenset(
        (
            "construct",
            "copy",
            "dict",
            "from_mcp_schema",
            "from_orm",
            "get_serializable_type",
            "json",
            "kind",
            "parse_file",
            "parse_obj",
            "parse_raw",
            "resolve_kind",
            "schema",
            "schema_json",
            "to_mcp_schema",
            "update_forward_refs",
            "validate",
        )
    ),
}
TAKEN_BEGINNINGS: Mapping[str, tuple[str, ...]] = {"openhands": ("_", "model_")}
_ALL_ADDED = frozenset().union(*ADDED.values())


def reserving(parameter: str) -> list[str]:
    """The clients that keep this name for themselves."""
    clients = sorted({*ADDED, *TAKEN, *TAKEN_BEGINNINGS})
    return [client for client in clients if _is_reserved(client, parameter)]


def without_added(arguments: Mapping[str, object]) -> dict[str, object]:
    """The arguments of a call without those that a client put in for itself."""
    return {name: value for name, value in arguments.items() if name not in _ALL_ADDED}


def _is_reserved(client: str, parameter: str) -> bool:
    names = ADDED.get(client, frozenset()) | TAKEN.get(client, frozenset())
    return parameter in names or parameter.startswith(TAKEN_BEGINNINGS.get(client, ()))
