import os
import sys
import time
from pathlib import Path

import pytest

from afterwit.extras.fixes.running import environment, run


def python(code: str, folder: Path, seconds: float = 30) -> tuple[int, str, bool]:
    result = run([sys.executable, "-c", code], folder, environment(folder / "home", os.environ, {}), seconds)
    return result.exit_code, result.output, result.is_late


def test_a_command_ends_with_its_code_and_both_streams(tmp_path: Path) -> None:
    code = "import sys; print('out', flush=True); print('err', file=sys.stderr); sys.exit(3)"
    assert python(code, tmp_path) == (3, "out\nerr\n", False)


def test_a_program_that_is_not_there_is_no_error_of_ours(tmp_path: Path) -> None:
    result = run(["no-such-program-here"], tmp_path, {}, 5)
    assert (result.exit_code, "no-such-program-here" in result.output) == (127, True)


def test_a_long_output_keeps_its_beginning_and_its_end(tmp_path: Path) -> None:
    code = "print('first'); [print('x' * 999) for _ in range(5_000)]; print('last')"
    _, output, _ = python(code, tmp_path)
    assert output.startswith("first\n")
    assert output.endswith("last\n")
    assert "[...]" in output
    assert len(output) < 2_000_000


def test_what_a_command_leaves_running_is_killed(tmp_path: Path) -> None:
    code = (
        "import subprocess, sys; child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)']);"
        "print(child.pid, flush=True)"
    )
    exit_code, output, is_late = python(code, tmp_path)
    assert (exit_code, is_late) == (0, False)
    assert _is_gone(int(output))


@pytest.mark.slow
def test_a_command_that_ignores_the_end_of_its_time_is_killed(tmp_path: Path) -> None:
    code = "import signal, time; signal.signal(15, signal.SIG_IGN); print('on', flush=True); time.sleep(600)"
    exit_code, output, is_late = python(code, tmp_path, seconds=2)
    assert (output, is_late) == ("on\n", True)
    assert exit_code < 0


def test_few_variables_reach_a_command(tmp_path: Path) -> None:
    given = {"PATH": "/bin", "SECRET_TOKEN": "x", "HOME": "/somewhere", "LANG": "de_DE.UTF-8"}
    made = environment(tmp_path / "home", given, {"PYTHONPATH": "/src"})
    assert "SECRET_TOKEN" not in made
    assert (made["HOME"], made["LANG"], made["CI"]) == (str(tmp_path / "home"), "de_DE.UTF-8", "1")
    assert Path(made["TMPDIR"]).is_dir()
    assert made["PYTHONPATH"] == "/src"


def _is_gone(pid: int) -> bool:
    """A killed process takes a moment to go."""
    for _ in range(200):
        if not _is_alive(pid):
            return True
        time.sleep(0.02)
    return False


def _is_alive(pid: int) -> bool:
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    except OSError:
        return False
    return text.rpartition(")")[2].split()[0] not in "ZX"
