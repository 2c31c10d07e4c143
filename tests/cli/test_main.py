"""The command as a whole: help, version, errors, pipes, Ctrl-C."""

import os
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest
from tests.cli.conftest import Run, command

from afterwit import __version__
from afterwit.cli.main import COMMANDS, FIRST, SHORT_NAMES, afterwit

INTERRUPTED = """
import os, signal
from afterwit.cli.main import main
from afterwit.engine import sweep

def step(name):
    if name == "a batch is about to be committed":
        os.kill(os.getpid(), signal.SIGINT)

sweep.step = step
main()
"""


def test_without_arguments_it_shows_its_help(run: Run) -> None:
    done = run()
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("Usage: afterwit")
    _, _, listed = done.stdout.partition("Commands:\n")
    assert [words[0] for line in listed.splitlines() if (words := line.split())][: len(FIRST)] == list(FIRST)
    assert "`afterwit help` lists all other commands" in listed


def test_help_lists_all_commands_extras_and_short_names_once(run: Run) -> None:
    everyday, rest = run("help").stdout.split("Commands:\n")
    others, rest = rest.split("Extras:\n")
    extras, short = rest.split("Short names:\n")
    names = [[line.split()[0] for line in part.splitlines() if line] for part in (everyday, others, extras, short)]
    assert names[0] == ["Every", *FIRST]
    assert names[1] == [name for name in COMMANDS if name not in FIRST]
    assert "patterns" in names[2]
    assert names[3] == [name for name in SHORT_NAMES if name not in FIRST]
    assert "exclude  Leave out" in short


def test_help_of_a_command_is_what_it_says_itself(run: Run) -> None:
    assert run("help", "sessions", "list").stdout == run("sessions", "list", "--help").stdout
    assert run("help", "search").stdout == run("search", "-h").stdout


@pytest.mark.parametrize("group", ["store", "sessions", "config"])
def test_a_group_alone_shows_its_help(run: Run, group: str) -> None:
    done = run(group)
    assert (done.returncode, done.stderr) == (0, "")
    assert f"Usage: afterwit {group}" in done.stdout


def test_both_spellings_of_help_say_the_same(run: Run) -> None:
    assert run("learn", "-h").stdout == run("learn", "--help").stdout


def test_help_shows_examples(run: Run) -> None:
    assert "Examples:\n  afterwit store verify\n" in run("store", "verify", "-h").stdout


def test_the_version_is_shown(run: Run) -> None:
    assert run("--version").stdout == f"afterwit {__version__}\n"


@pytest.mark.parametrize("argument", ["--version", "-h"])
def test_the_overview_loads_click_and_little_else(environ: dict[str, str], argument: str) -> None:
    code = f"import sys, atexit; sys.argv = ['afterwit', '{argument}']; from afterwit.cli.main import main\n"
    code += "atexit.register(lambda: sys.stderr.write(' '.join(sys.modules))); main()"
    done = subprocess.run([sys.executable, "-c", code], env=environ, capture_output=True, text=True, check=True)
    loaded = set(done.stderr.split())
    assert not loaded & {"rich", "msgspec", "apsw", "afterwit.model.zstd", "re2", "afterwit.sessions", "afterwit.store"}


def test_the_overview_says_what_the_commands_say_of_themselves() -> None:
    context = click.Context(afterwit)
    for name, entry in COMMANDS.items():
        found = afterwit.get_command(context, name)
        assert found is not None
        assert found.get_short_help_str(limit=200) == entry.line


def test_a_short_name_is_the_command_that_it_stands_for() -> None:
    context = click.Context(afterwit)
    for name, long in SHORT_NAMES.items():
        group, own = long.split()
        found = afterwit.get_command(context, group)
        assert isinstance(found, click.Group)
        assert afterwit.get_command(context, name) is found.get_command(context, own)


def test_help_of_a_short_name_names_it(run: Run) -> None:
    assert run("search", "--help").stdout.startswith("Usage: afterwit search ")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["lern"], "No such command 'lern'. Did you mean `afterwit learn`?"),
        (["serach", "x"], "No such command 'serach'. Did you mean `afterwit search`?"),
        (["sessions", "lst"], "No such command 'lst'. Did you mean `afterwit sessions list`?"),
        (["config", "shwo"], "No such command 'shwo'. Did you mean `afterwit config show`?"),
        (["connect", "statsu"], "Did you mean `afterwit connect status`?"),
        (["connect", "codx"], "Did you mean `afterwit connect codex`?"),
        (["connect", "emacs"], "Agents that can be connected: aider, "),
        (["disconnect", "codx"], "Did you mean codex?"),
        (["harbour"], "No such command 'harbour'. `afterwit help` lists what there is."),
        (["help", "harbour"], "No such command 'harbour'. `afterwit help` lists what there is."),
        (["help", "learn", "all"], "`afterwit learn` has no commands of its own."),
        (["sessions", "list", "--agent", "codx"], "there is no agent named 'codx'. Did you mean codex?"),
        (["learn", "--sauce", "codex"], "--sauce"),
        (["learn", "--source", "clod"], "no agent named 'clod'"),
        (["learn", "--sessions-dir", "nowhere"], "does not exist"),
        (["learn", "--since", "lately"], "Examples: 12h, 3d"),
        (["learn", "--jobs", "-1"], "--jobs"),
        (["learn", "--config", "nowhere.toml"], "Cannot read"),
        (["learn", "--profile", "../up"], "cannot be the name of a profile"),
        (["config", "show", "--profile", "A"], "cannot be the name of a profile"),
        (["sessions", "repos", "--merge", "a"], "--merge and --into go together"),
        (["sessions", "repos", "--merge", "a", "--into", "b", "--undo", "c"], "one at a time"),
    ],
)
def test_wrong_use_is_said_without_a_traceback(run: Run, arguments: list[str], said: str) -> None:
    done = run(*arguments)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_a_wrong_configuration_is_said_with_file_and_key(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "odd.toml"
    file.write_text("[learn]\njob = 1\n", encoding="utf-8")
    done = run("learn", "--config", str(file))
    assert done.returncode == 2
    assert "odd.toml: learn.job: there is no such setting. Did you mean learn.jobs?" in done.stderr


@pytest.mark.parametrize(
    "arguments",
    [["store", name] for name in ("stat", "verify", "rebuild", "compact", "problems")]
    + [["sessions", name] for name in ("repos", "tools", "users")],
)
def test_without_a_store_it_says_what_to_do(run: Run, arguments: list[str]) -> None:
    done = run(*arguments)
    assert done.returncode == 1
    assert "Run `afterwit learn` first." in done.stderr
    assert "Traceback" not in done.stderr


def test_an_error_of_the_system_is_said_without_a_traceback(run: Run, tmp_path: Path) -> None:
    (tmp_path / "store" / "learn.lock").mkdir(parents=True)
    done = run("learn")
    assert done.returncode == 1
    assert "learn.lock" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(os.name != "posix", reason="pipes of Windows break differently")
@pytest.mark.usefixtures("learned")
def test_a_reader_that_goes_away_is_no_error(run: Run, environ: dict[str, str]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    arguments = command(["sessions", "tools"])
    done = subprocess.run(arguments, env=environ, stdout=writing, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(os.name != "posix", reason="needs SIGINT")
def test_ctrl_c_stops_cleanly_and_the_next_run_does_the_rest(run: Run, environ: dict[str, str], tmp_path: Path) -> None:
    arguments = [sys.executable, "-c", INTERRUPTED, "learn"]
    stopped = subprocess.run(arguments, env=environ, capture_output=True, text=True, check=False)
    assert stopped.returncode == 3
    assert "run the command again to go on" in stopped.stderr
    assert "Traceback" not in stopped.stderr
    assert "The store holds 5 sessions." in run("learn").stdout
    assert run("store", "verify").returncode == 0
    other = str(tmp_path / "undisturbed")
    run("learn", AFTERWIT_HOME=other)
    assert hash_in(run("store", "stat")) == hash_in(run("store", "stat", AFTERWIT_HOME=other))


def hash_in(done: "subprocess.CompletedProcess[str]") -> str:
    found = re.search(r"content hash +([0-9a-f]{64})", done.stdout)
    assert found is not None
    return found[1]


def test_ctrl_c_while_the_program_still_loads_prints_no_traceback() -> None:
    program = (
        "import sys\n"
        "class Interrupting:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'click': raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Interrupting())\n"
        "from afterwit.__main__ import main\n"
        "main()\n"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=60)
    assert (ended.returncode, ended.stdout, ended.stderr) == (3, "", "")
