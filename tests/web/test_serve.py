"""The command: where it listens, how it ends, and what it says where it cannot begin."""

import os
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from http.cookiejar import CookieJar
from importlib.machinery import ModuleSpec

import click
import pytest
from tests.web.conftest import place_of

from afterwit.cli import web as web_command
from afterwit.config.world import World
from afterwit.model.errors import UsageError
from afterwit.web.serve import LOOPBACK, serve


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


def test_it_listens_on_this_machine_alone(world: World) -> None:
    links: list[str] = []
    serve(place_of(world), 0, links.append, idle_seconds=0)
    assert links[0].startswith(f"http://{LOOPBACK}:")


def test_it_ends_when_nobody_has_looked_for_long(world: World) -> None:
    links: list[str] = []
    serve(place_of(world), 0, links.append, idle_seconds=0)
    port = int(links[0].split(":")[2].partition("/")[0])
    with socket.socket() as again:
        again.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        again.bind((LOOPBACK, port))


def test_a_port_in_use_is_said_with_what_to_do() -> None:
    with socket.socket() as taken:
        taken.bind((LOOPBACK, 0))
        taken.listen()
        with pytest.raises(UsageError, match="Leave --port out"):
            serve(lambda: pytest.fail("nothing is opened"), taken.getsockname()[1], lambda _: None)


def test_a_missing_extra_is_said_with_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    def found(name: str) -> ModuleSpec | None:
        return None if name == "jinja2" else ModuleSpec(name, None)

    monkeypatch.setattr(web_command, "find_spec", found)
    with pytest.raises(UsageError, match=r"needs jinja2.*afterwit\[web\]"), click.Context(web_command.web) as context:
        context.invoke(web_command.web, port=0, is_quiet=True, config=None, profile=None)
