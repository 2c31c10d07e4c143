"""Standard streams that somebody has closed are opened on nothing.

A process that starts with one of them closed (`>&-`) would give its number to the next file that it opens, and what is
meant for people would go into that file. Imports nothing slow: hooks begin with it.
"""

import os


def open_closed_streams() -> None:
    """Sees to it that 0, 1 and 2 are open."""
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            nowhere = os.open(os.devnull, os.O_RDWR)
            if nowhere != descriptor:
                os.dup2(nowhere, descriptor)
                os.close(nowhere)
            os.set_inheritable(descriptor, True)
