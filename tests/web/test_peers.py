"""Whose program is at the other end of a connection, as the tables of the kernel tell it."""

import os
import socket
import sys
from pathlib import Path

import pytest

from afterwit.web import safety
from afterwit.web.safety import is_of_another_user

_HEAD = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
_ROW = "   {0}: {1} {2} 01 00000000:00000000 00:00000000 00000000  {3}        0 4242 1 0 20 4 30 10 -1\n"
_CLIENT, _SERVER = ("127.0.0.1", 50000), ("127.0.0.1", 4711)
_MAPPED = "0000000000000000FFFF0000"
_OTHER = os.getuid() + 1
pytestmark = pytest.mark.skipif(sys.byteorder != "little", reason="the rows are those of a little-endian machine")


def is_foreign(monkeypatch: pytest.MonkeyPatch, folder: Path, *rows: tuple[str, str, int], text: str = "") -> bool:
    (folder / "tcp").write_text(
        _HEAD + "".join(_ROW.format(number, *row) for number, row in enumerate(rows)) + text, encoding="latin-1"
    )
    monkeypatch.setattr(safety, "TABLES", (folder / "none", folder / "tcp"))
    return is_of_another_user(_CLIENT, _SERVER)


@pytest.mark.parametrize("prefix", ["", _MAPPED])
def test_the_row_of_the_client_counts_in_both_tables(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, prefix: str
) -> None:
    client, server = f"{prefix}0100007F:C350", f"{prefix}0100007F:1267"
    assert is_foreign(monkeypatch, tmp_path, (server, client, 0), (client, server, _OTHER))
    assert not is_foreign(monkeypatch, tmp_path, (server, client, _OTHER), (client, server, os.getuid()))
    assert not is_foreign(monkeypatch, tmp_path, (client, server, 0))


@pytest.mark.parametrize("text", ["", "\xff\n1: 2\n", _ROW.format(1, "0100007F:C351", "0100007F:1267", _OTHER)])
def test_a_table_without_the_connection_tells_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, text: str
) -> None:
    assert not is_foreign(monkeypatch, tmp_path, text=text)


def test_own_connections_are_no_others() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()) as client:
        assert not is_of_another_user(client.getsockname(), server.getsockname())
