"""What the first pages would wait for, made while the browser opens: templates, and the rules of redaction.

Nothing is kept that depends on the store, so nothing of it can be out of date. What cannot be made here is made, or
complained about, by the page that needs it.
"""

import threading
from contextlib import suppress

from afterwit.config.world import redactor_of
from afterwit.model.errors import AfterwitError
from afterwit.web.answering import compile_templates
from afterwit.web.place import OpenPlace

_SAMPLE = "token=sk-0123456789abcdef0123456789abcdef, mail to ada@orchard.example, in /home/ada"


def warm(open_place: OpenPlace) -> None:
    """Makes them now."""
    compile_templates()
    with suppress(AfterwitError, OSError):
        redactor_of(open_place().world).text(_SAMPLE)  # its automata grow with what they first read


def begin_warming(open_place: OpenPlace) -> None:
    """Makes them beside what is going on, and keeps nobody from ending."""
    threading.Thread(target=warm, args=(open_place,), name="warming", daemon=True).start()
