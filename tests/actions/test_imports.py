"""A hook imports these modules: they must not bring anything heavy in."""

import subprocess
import sys

import pytest

HEAVY = {"msgspec", "dataclasses", "apsw", "re2", "click", "rich", "afterwit.model.zstd", "json", "logging"}


def test_the_actions_package_loads_no_heavy_module() -> None:
    code = (
        "import sys\n"
        "import afterwit.actions.failures.excerpt, afterwit.actions.shell.parse\n"
        "import afterwit.actions.steps, afterwit.actions.tools\n"
        "print(*sys.modules)"
    )
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert HEAVY.isdisjoint(loaded)


@pytest.mark.parametrize("name", ["quick_look"])
def test_what_a_usual_call_of_a_hook_asks_loads_nothing_slow(name: str) -> None:
    code = f"import sys; sys.path[:] = {sys.path!r}; import afterwit.actions.{name}; print(*sys.modules)"
    command = [sys.executable, "-I", "-S", "-c", code]
    loaded = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    assert {*HEAVY, "re", "enum", "typing", "pathlib", "functools"}.isdisjoint(loaded)
