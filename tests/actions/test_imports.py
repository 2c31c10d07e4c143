"""A hook imports these modules: they must not bring anything heavy in."""

import subprocess
import sys

HEAVY = {"msgspec", "dataclasses", "apsw", "re2", "click", "rich", "zstandard", "json", "logging"}


def test_the_actions_package_loads_no_heavy_module() -> None:
    code = (
        "import sys\n"
        "import afterwit.actions.excerpt, afterwit.actions.shell, afterwit.actions.status, afterwit.actions.tools\n"
        "print(*sys.modules)"
    )
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert HEAVY.isdisjoint(loaded)
