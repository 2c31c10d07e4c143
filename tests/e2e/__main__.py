"""`make e2e`: installs the clients, and Afterwit as people do, with the network; then runs them without it."""

import subprocess
import sys
from pathlib import Path

import pytest
from tests.e2e import loopback, sharing
from tests.e2e.install import install_all
from tests.e2e.packaged import packaged
from tests.e2e.web.chromium import install_browser

_INSIDE = "--inside"


def main() -> int:
    if _INSIDE in sys.argv:
        loopback.raise_loopback()
        chosen = [argument for argument in sys.argv[1:] if argument != _INSIDE]
        how = ("-v", "-m", "e2e", "-rs", "--durations=20", *sharing.AT_ONCE)
        return pytest.main([*how, *chosen, str(Path(__file__).parent)], plugins=[sharing])
    install_all()
    install_browser()
    with packaged() as environ:
        inside = loopback.fenced([sys.executable, "-m", "tests.e2e", _INSIDE, *sys.argv[1:]])
        return subprocess.call(inside, env=environ)


if __name__ == "__main__":
    sys.exit(main())
