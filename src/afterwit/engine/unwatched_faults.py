"""Notes what ends a `learn` that nobody watches, where hooks note their faults: `doctor` tells of both.

Such a run is started by a hook at the end of a session. Its standard error goes nowhere. The record says where and what
kind, as a hook's does, and nothing of any log; the error goes on its way. What cannot be noted is not.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress

from afterwit.model.errors import BusyError
from afterwit.store.layout import Layout

LEARN = "learn"  # in the place of an agent


@contextmanager
def faults_noted(layout: Layout) -> Iterator[None]:
    """Notes an error that is raised inside. That another run is at work is none."""
    try:
        yield
    except BusyError:
        raise
    except Exception as error:
        with suppress(OSError):
            _note(layout, error)
        raise


def _note(layout: Layout, error: Exception) -> None:
    """Loads what a run that goes well does without."""
    from afterwit.agents.hook_payloads import END
    from afterwit.recall.hook.call import fault
    from afterwit.store.spool import append

    append(layout.spool, LEARN, "", fault(LEARN, "", END, error))
