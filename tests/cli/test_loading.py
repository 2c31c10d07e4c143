"""What a command loads and compiles before it answers: each module and each pattern costs somebody's time, every time.

The bounds are what the commands need today and a little more. Whoever goes beyond one looks first whether the module is
needed for this command, and whether the pattern is used.
"""

import json
import subprocess
import sys

import pytest

COUNTING = """
import atexit, json, re, sys
import re._compiler as compiler
ours, compile_it = [0], compiler.compile
def counted(*arguments):
    frame = sys._getframe(1)
    while frame.f_globals["__name__"].partition(".")[0] in ("re", "fnmatch"):
        frame = frame.f_back
    ours[0] += frame.f_globals["__name__"].startswith("afterwit.")
    return compile_it(*arguments)
compiler.compile = counted
def tell():
    modules = sum(name.partition(".")[0] == "afterwit" for name in sys.modules)
    print(json.dumps([modules, ours[0]]), file=sys.__stderr__)
atexit.register(tell)
from afterwit.__main__ import main
main()
"""


@pytest.mark.usefixtures("learned")
@pytest.mark.parametrize(
    ("arguments", "most_modules", "most_patterns"),
    [
        (["--version"], 3, 0),
        (["--help"], 15, 0),
        (["sessions", "list"], 122, 8),
        (["show", "{session}"], 166, 14),
        (["search", "trees"], 156, 18),
        (["knowledge", "list"], 180, 9),
        (["brief", "orchard"], 178, 11),
        (["status"], 280, 24),
        (["recall", "--repo", "orchard", "--task", "count the trees"], 177, 14),
        (["learn"], 140, 7),
    ],
)
def test_a_command_loads_and_compiles_little(
    environ: dict[str, str], arguments: list[str], most_modules: int, most_patterns: int
) -> None:
    def ran(words: list[str]) -> "subprocess.CompletedProcess[str]":
        command = [sys.executable, "-c", COUNTING, *words]
        return subprocess.run(command, env=environ, capture_output=True, text=True, check=True, timeout=60)

    session = json.loads(ran(["sessions", "list", "--json"]).stdout)["sessions"][0]["id"]
    words = [word.format(session=session) for word in arguments]
    ran(words)  # the first time there is something to learn
    modules, patterns = json.loads(ran(words).stderr.splitlines()[-1])
    assert modules
    assert modules <= most_modules
    assert patterns <= most_patterns
