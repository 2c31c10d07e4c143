"""Whose program is at the other end of a connection, as the tables of the kernel tell it."""

import os
import socket
import sys
from pathlib import Path

import pytest

from afterwit.web.peers import is_of_another_user, users_of

_HEAD = b"  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
_ROW = "   {0}: {1} {2} 01 00000000:00000000 00:00000000 00000000  {3}        0 4242 1 0 20 4 30 10 -1\n"
_CLIENT, _SERVER = ("127.0.0.1", 50000), ("127.0.0.1", 4711)
pytestmark = pytest.mark.skipif(sys.byteorder != "little", reason="the rows are those of a little-endian machine")


def table(*rows: tuple[str, str, int]) -> bytes:
    return _HEAD + "".join(_ROW.format(number, *row) for number, row in enumerate(rows)).encode()


def test_the_row_of_the_client_counts_and_not_that_of_the_server() -> None:
    rows = table(("0100007F:1267", "0100007F:C350", 0), ("0100007F:C350", "0100007F:1267", 1000))
    assert users_of(rows, _CLIENT, _SERVER) == {1000}


def test_a_socket_of_the_newer_protocol_that_speaks_the_older_one_is_known_too() -> None:
    mapped = "0000000000000000FFFF00000100007F"
    assert users_of(table((f"{mapped}:C350", f"{mapped}:1267", 1001)), _CLIENT, _SERVER) == {1001}


@pytest.mark.parametrize("content", [b"", _HEAD, b"\xff\n1: 2\n", table(("0100007F:C351", "0100007F:1267", 7))])
def test_a_table_without_the_connection_tells_nothing(content: bytes) -> None:
    assert users_of(content, _CLIENT, _SERVER) == set()


def test_own_connections_are_no_others(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()) as client:
        assert not is_of_another_user(client.getsockname(), server.getsockname())
        tables = (tmp_path / "none", tmp_path / "tcp")
        local, remote = (f"0100007F:{name.getsockname()[1]:04X}" for name in (client, server))
        tables[1].write_bytes(table((local, remote, os.getuid() + 1)))
        assert is_of_another_user(client.getsockname(), server.getsockname(), tables)
