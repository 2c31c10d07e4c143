"""How to install an extra beside this very program, in one command: for messages where one is missing.

Wherever the program itself came from (an index, a clone, pipx), what is there already stays; only what the extra asks
for is added.
"""

import sys
from importlib.util import find_spec


def install_command(extra: str) -> str:
    """For a terminal. Environments that uv made have no pip of their own."""
    pip = f"{sys.executable} -m pip install" if find_spec("pip") else f"uv pip install --python {sys.executable}"
    return f"{pip} 'afterwit[{extra}]'"
