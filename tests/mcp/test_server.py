"""The protocol: both of its forms, errors instead of crashes, and nothing loaded before it is needed."""

import json
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.thoroughness import examples

from afterwit.mcp.server import HANDSHAKE_VERSIONS, MODERN_VERSION, Server

MODERN = {
    "io.modelcontextprotocol/protocolVersion": MODERN_VERSION,
    "io.modelcontextprotocol/clientInfo": {"name": "codex-mcp-client", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


class StubDesk:
    """Says who called, and fails when it is told to."""

    def call(self, name: str, arguments: Mapping[str, Any], client: str) -> dict[str, Any]:
        if name == "broken":
            raise ZeroDivisionError
        return {"content": [{"type": "text", "text": f"{client} {name} {json.dumps(arguments)}"}]}


class Wire:
    """A client of a server with a stub behind it."""

    def __init__(self) -> None:
        self.opened = 0
        self.server = Server(self._open)

    def _open(self) -> StubDesk:
        self.opened += 1
        return StubDesk()

    def send(self, value: Any) -> Any:
        return self.server.respond(json.dumps(value).encode())

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        response = self.send({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
        assert response["id"] == 1
        found: dict[str, Any] = (
            response.get("result") or response["error"] if "error" in response else response["result"]
        )
        return found


@pytest.fixture
def wire() -> Wire:
    return Wire()


@pytest.mark.parametrize("version", HANDSHAKE_VERSIONS)
def test_initialize_agrees_on_the_version_of_the_client(wire: Wire, version: str) -> None:
    result = wire.ask("initialize", protocolVersion=version, capabilities={}, clientInfo={"name": "x", "version": "1"})
    assert result["protocolVersion"] == version
    assert result["serverInfo"]["name"] == "afterwit"
    assert set(result["capabilities"]) == {"tools"}
    assert "recall" in result["instructions"]


@pytest.mark.parametrize("version", ["1999-01-01", MODERN_VERSION, None, 7])
def test_initialize_offers_the_latest_handshake_for_a_version_it_does_not_know(wire: Wire, version: Any) -> None:
    assert wire.ask("initialize", protocolVersion=version)["protocolVersion"] == "2025-11-25"


def test_what_clients_ask_for_at_the_start_loads_nothing(wire: Wire) -> None:
    wire.ask("initialize", protocolVersion="2025-06-18")
    assert wire.send({"jsonrpc": "2.0", "method": "notifications/initialized"}) is None
    assert wire.ask("ping") == {}
    wire.ask("server/discover")
    assert wire.ask("tools/list")["tools"][0]["name"] == "recall"
    assert wire.opened == 0
    wire.ask("tools/call", name="recall")
    wire.ask("tools/call", name="recall")
    assert wire.opened == 1


def test_tools_know_who_introduced_itself(wire: Wire) -> None:
    wire.ask("initialize", clientInfo={"name": "gemini-cli-mcp-client", "version": "1"})
    result = wire.ask("tools/call", name="recall", arguments={"task": "x"})
    assert result["content"][0]["text"] == 'gemini-cli-mcp-client recall {"task": "x"}'
    assert "resultType" not in result


def test_a_modern_client_needs_no_handshake(wire: Wire) -> None:
    found = wire.ask("server/discover", _meta=MODERN)
    assert (found["supportedVersions"], found["resultType"], found["cacheScope"]) == (
        [MODERN_VERSION],
        "complete",
        "private",
    )
    assert found["ttlMs"] == 0
    result = wire.ask("tools/call", name="recall", _meta=MODERN)
    assert result["content"][0]["text"] == "codex-mcp-client recall {}"
    assert result["resultType"] == "complete"
    assert result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "afterwit"


def test_a_version_of_the_future_is_refused_with_those_that_we_speak(wire: Wire) -> None:
    error = wire.ask("tools/list", _meta={"io.modelcontextprotocol/protocolVersion": "2031-01-01"})
    assert (error["code"], error["data"]) == (-32022, {"supported": [MODERN_VERSION], "requested": "2031-01-01"})


@pytest.mark.parametrize(
    ("method", "params", "code"),
    [
        ("prompts/list", {}, -32601),
        ("", {}, -32601),
        ("tools/call", {}, -32602),
        ("tools/call", {"name": 3}, -32602),
        ("tools/call", {"name": "recall", "arguments": [1]}, -32602),
        ("resources/list", {}, -32601),
    ],
)
def test_a_wrong_request_gets_an_error(wire: Wire, method: str, params: dict[str, Any], code: int) -> None:
    assert wire.ask(method, **params)["code"] == code


def test_a_fault_of_ours_is_an_error_and_the_server_goes_on(wire: Wire, capsys: pytest.CaptureFixture[str]) -> None:
    assert wire.ask("tools/call", name="broken")["code"] == -32603
    said = capsys.readouterr()
    assert said.out == ""
    assert "ZeroDivisionError" in said.err
    assert wire.ask("ping") == {}


def test_a_batch_is_answered_as_a_batch(wire: Wire) -> None:
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    note = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}
    answers = wire.send([ping, note, 3, ping | {"id": 2}])
    assert [one.get("id") for one in answers] == [1, None, 2]
    assert wire.send([note]) is None
    assert wire.send([])["error"]["code"] == -32600
    assert wire.send([ping] * 101)["error"]["code"] == -32600


@settings(max_examples=examples(80))
@given(
    st.sampled_from(["initialize", "tools/call", "tools/list", "server/discover", "ping"]),
    st.dictionaries(
        st.sampled_from(["name", "arguments", "uri", "cursor", "_meta", "clientInfo", "protocolVersion"]),
        st.none() | st.integers() | st.text(max_size=5) | st.dictionaries(st.text(max_size=3), st.none(), max_size=2),
    ),
)
def test_any_params_give_one_answer(method: str, params: dict[str, Any]) -> None:
    response = Wire().send({"jsonrpc": "2.0", "id": "q", "method": method, "params": params})
    assert response["id"] == "q"
    assert ("result" in response) != ("error" in response)
    assert response.get("error", {}).get("code") != -32603
