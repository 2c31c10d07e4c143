"""How to start this program again from elsewhere: a schedule or a script needs its absolute path."""

import sys
from pathlib import Path


def own_command() -> tuple[str, ...]:
    """The command as it was called, a link kept as a link; else the interpreter with the package, which it must not
    look for in the folder where it is started."""
    called = Path(sys.argv[0])
    if called.stem == "afterwit" and called.is_file():
        return (str(called.absolute()),)
    return (sys.executable, "-P", "-m", "afterwit")
