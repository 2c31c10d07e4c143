"""`make e2e`: installs the clients with the network, then runs each of them once without it."""

import subprocess
import sys
from pathlib import Path

import pytest
from tests.e2e import loopback
from tests.e2e.install import install_all

_INSIDE = "--inside"


def main() -> int:
    if _INSIDE in sys.argv:
        loopback.raise_loopback()
        chosen = [argument for argument in sys.argv[1:] if argument != _INSIDE]
        return pytest.main(["-v", "-m", "e2e", "--durations=0", *chosen, str(Path(__file__).parent)])
    install_all()
    return subprocess.call(loopback.fenced([sys.executable, "-m", "tests.e2e", _INSIDE, *sys.argv[1:]]))


if __name__ == "__main__":
    sys.exit(main())
