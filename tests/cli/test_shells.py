"""Real shells complete our commands after the line that the documentation names, and with the script of the wheel."""

import importlib
import os
import pty
import re
import select
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "how-to" / "shell-completion.md"
LIMIT_SECONDS = 120
INTERACTIVE = {"bash": ("--noprofile", "--norc", "-i"), "zsh": ("-f", "-i")}
OWN_TERMINAL = "import os, sys; os.login_tty(0); os.execvp(sys.argv[1], sys.argv[1:])"
Environ = dict[str, str]


def needs(shell: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(shutil.which(shell) is None, reason=f"{shell} is not on this machine")


@pytest.fixture
def environ(tmp_path: Path) -> Environ:
    """A home of its own, with the command of this environment first on the path."""
    programs = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return {"HOME": str(tmp_path), "AFTERWIT_HOME": str(tmp_path / "store"), "PATH": programs, "TERM": "dumb"}


def documented(shell: str) -> str:
    """The line that the page says to add for a shell."""
    text = PAGE.read_text(encoding="utf-8")
    row = re.search(rf"^\| {shell}\b[^|]*\| `(.+?)`(?:, after `compinit`)? \| `~/", text, re.MULTILINE)
    assert row is not None
    return row[1].replace("\\|", "|")


@contextmanager
def typing(shell: str, environ: Environ) -> Iterator[Callable[[str, str], None]]:
    """A shell on a terminal: types a text, and reads until an answer is there."""
    ours, its = pty.openpty()
    words = [sys.executable, "-c", OWN_TERMINAL, shell, *INTERACTIVE[shell]]
    with subprocess.Popen(words, env=environ, cwd=environ["HOME"], stdin=its) as program:
        os.close(its)

        def types(text: str, answer: str) -> None:
            os.write(ours, text.encode())
            shown = b""
            while answer.encode() not in shown:
                assert select.select([ours], [], [], LIMIT_SECONDS)[0], shown.decode()
                shown += os.read(ours, 65536)

        try:
            yield types
        finally:
            program.kill()
            os.close(ours)


@needs("bash")
def test_bash_completes_after_the_documented_line(environ: Environ) -> None:
    with typing("bash", environ) as types:
        types(f"{documented('bash')}; echo rea''dy\n", "ready")
        types("afterwit sess\t--help\n", "Usage: afterwit sessions ")
        types("afterwit sessions li\t--help\n", "Usage: afterwit sessions list ")


@needs("zsh")
def test_zsh_completes_after_the_documented_line(environ: Environ) -> None:
    with typing("zsh", environ) as types:
        types("autoload -Uz compinit; compinit -u; echo rea''dy\n", "ready")
        types(f"{documented('zsh')}; echo do''ne\n", "done")
        types("afterwit sess\t--help\n", "Usage: afterwit sessions ")


@needs("fish")
def test_fish_completes_after_the_documented_line(environ: Environ) -> None:
    line = f"{documented('fish')}; complete -C 'afterwit sess'"
    done = subprocess.run(["fish", "-N", "-c", line], env=environ, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("sessions")


@pytest.fixture
def shared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What the wheel puts below `share`."""
    monkeypatch.syspath_prepend(ROOT / "docs")
    shared_files: ModuleType = importlib.import_module("shared_files")
    shared_files.write(str(tmp_path / "share"))
    return tmp_path / "share"


@needs("bash")
def test_bash_completes_with_the_script_of_the_wheel(environ: Environ, shared: Path) -> None:
    with typing("bash", environ) as types:
        types(f". {shared}/bash-completion/completions/afterwit; echo rea''dy\n", "ready")
        types("afterwit sess\t--help\n", "Usage: afterwit sessions ")


@needs("zsh")
def test_zsh_finds_the_script_of_the_wheel_by_itself(environ: Environ, shared: Path) -> None:
    with typing("zsh", environ) as types:
        setup = f"fpath=({shared}/zsh/site-functions $fpath); autoload -Uz compinit; compinit -u; echo rea''dy\n"
        types(setup, "ready")
        types("afterwit sess\t--help\n", "Usage: afterwit sessions ")


@needs("man")
def test_man_shows_the_pages_of_the_wheel(environ: Environ, shared: Path) -> None:
    done = subprocess.run(
        ["man", "-M", str(shared / "man"), "afterwit-search"],
        env={**environ, "MANPAGER": "cat", "MAN_KEEP_FORMATTING": "", "LC_ALL": "C.UTF-8"},
        capture_output=True,
        text=True,
        check=False,
    )
    if "minimized" in done.stdout:
        pytest.skip("man is only a placeholder on this machine")
    assert (done.returncode, done.stderr) == (0, "")
    assert "afterwit sessions search" in done.stdout
