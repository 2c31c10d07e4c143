"""Hooks import `store.spool`, so the package itself must stay empty: no names, nothing heavy loaded."""

import subprocess
import sys

SLOW = {"apsw", "msgspec", "afterwit.model.zstd"}
LOADED = f"import sys; import afterwit.store.spool; print(*sorted({SLOW} & set(sys.modules)))"


def test_the_package_exports_nothing() -> None:
    code = "import afterwit.store; print(*(name for name in dir(afterwit.store) if not name.startswith('_')))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.split() == []


def test_the_spool_needs_the_standard_library_only() -> None:
    found = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, check=True)
    assert found.stdout.split() == []
