"""The command: where it listens, who gets in, how it ends, and what it says where it cannot begin."""

import http.client
import os
import signal
import socket
import stat
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from http.cookiejar import CookieJar
from importlib.machinery import ModuleSpec
from pathlib import Path
from urllib.parse import urlsplit

import click
import pytest
from tests.web.conftest import place_of

from afterwit.cli import servers as web_command
from afterwit.config.world import World
from afterwit.model.errors import UsageError
from afterwit.web.serve import LOOPBACK, Announce, serve


@contextmanager
def running(world: World, *options: str) -> Iterator["subprocess.Popen[str]"]:
    command = [sys.executable, "-P", "-m", "afterwit", "web", "--no-open", *options]
    environ = {**world.environ, "PATH": os.environ["PATH"]}
    process = subprocess.Popen(command, env=environ, stderr=subprocess.PIPE, text=True)
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        assert process.stderr is not None
        process.stderr.close()


def test_the_link_opens_a_page_and_ctrl_c_ends_it_well(world: World) -> None:
    with running(world) as process:
        assert process.stderr is not None
        link = process.stderr.readline().split()[-1]
        process.stderr.readline()
        browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
        with browser.open(f"{link}") as reply:
            assert reply.status == 200
            assert "token" not in reply.url
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0
        assert process.stderr.read() == ""


def test_the_file_that_opens_the_page_is_readable_by_its_owner_alone_and_gone_at_the_end(world: World) -> None:
    modes: list[int] = []
    files: list[Path] = []

    def look(link: str, page: Path) -> None:
        files.append(page)
        modes.extend(stat.S_IMODE(path.stat().st_mode) for path in (page, page.parent))
        token = link.partition("token=")[2]
        assert f'value="{token}"' in page.read_text(encoding="utf-8")

    serve(place_of(world), 0, look, idle_seconds=0)
    assert modes == [0o600, 0o700]
    assert not files[0].exists()


def test_the_browser_gets_a_file_and_never_the_token_and_one_in_the_foreground_stops_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], world: World, tmp_path: Path
) -> None:
    ended, asked = threading.Event(), threading.Event()
    opened: list[str] = []

    def browse(address: str) -> bool:  # as `webbrowser` does with a browser that runs in the terminal
        opened.append(address)
        asked.set()
        return ended.wait()

    def serving(_place: object, _port: int, announce: Announce) -> None:
        announce("http://127.0.0.1:1/enter?token=secret", tmp_path / "page.html")
        assert asked.wait(60)

    monkeypatch.setattr("webbrowser.open", browse)
    monkeypatch.setattr("afterwit.web.serve.serve", serving)
    for name, value in world.environ.items():
        monkeypatch.setenv(name, value)
    with click.Context(web_command.web) as context:
        context.invoke(web_command.web, port=0, is_quiet=False, config=None, profile=None)
    ended.set()
    assert opened == [(tmp_path / "page.html").as_uri()]
    assert "token=secret" in capsys.readouterr().err  # for a browser that cannot read the file


@pytest.mark.parametrize("family", [socket.AF_INET, socket.AF_INET6])
@pytest.mark.skipif(sys.platform != "linux" or os.geteuid() != 0, reason="needs Linux, and root to be another user")
def test_another_user_of_the_machine_is_refused_even_with_the_link(world: World, family: socket.AddressFamily) -> None:
    with running(world) as process:
        assert process.stderr is not None
        link = urlsplit(process.stderr.readline().split()[-1])
        assert link.port is not None
        os.seteuid(65534)
        try:
            foreign = socket.socket(family, socket.SOCK_STREAM)
        finally:
            os.seteuid(0)
        with foreign:
            foreign.connect((LOOPBACK if family is socket.AF_INET else f"::ffff:{LOOPBACK}", link.port))
            asking = http.client.HTTPConnection(LOOPBACK, link.port)
            asking.sock = foreign
            asking.request("GET", f"{link.path}?{link.query}")
            reply = asking.getresponse()
            assert reply.status == 403
            assert b"another user" in reply.read()
        browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
        with browser.open(link.geturl()) as page:  # the link is still good
            assert page.status == 200


def test_it_listens_on_this_machine_alone(world: World) -> None:
    links: list[str] = []
    serve(place_of(world), 0, lambda link, _: links.append(link), idle_seconds=0)
    assert links[0].startswith(f"http://{LOOPBACK}:")


def test_it_ends_when_nobody_has_looked_for_long(world: World) -> None:
    links: list[str] = []
    serve(place_of(world), 0, lambda link, _: links.append(link), idle_seconds=0)
    port = int(links[0].split(":")[2].partition("/")[0])
    with socket.socket() as again:
        again.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        again.bind((LOOPBACK, port))


def test_a_port_in_use_is_said_with_what_to_do() -> None:
    with socket.socket() as taken:
        taken.bind((LOOPBACK, 0))
        taken.listen()
        with pytest.raises(UsageError, match="Leave --port out"):
            serve(lambda: pytest.fail("nothing is opened"), taken.getsockname()[1], lambda *_: None)


def test_a_missing_extra_is_said_with_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    def found(name: str) -> ModuleSpec | None:
        return None if name == "jinja2" else ModuleSpec(name, None)

    monkeypatch.setattr(web_command, "find_spec", found)
    with pytest.raises(UsageError, match=r"needs jinja2.*afterwit\[web\]"), click.Context(web_command.web) as context:
        context.invoke(web_command.web, port=0, is_quiet=True, config=None, profile=None)
