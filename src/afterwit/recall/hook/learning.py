"""Starts a `learn` at the end of a session, without making the agent wait for it.

A process of its own session, at the lowest priority, with nothing to read and nobody listening, and with none of the
agent's handles: whoever waits for the end of a pipe would wait for it too. The command comes from the deck and holds
nothing of the agent's input: which session ended is noted in the spool. Where the system cannot do that, the next
`learn` that runs by itself takes the session in.
"""

import os

from afterwit.recall.deck.reader import Deck

_LAST_USUAL = 2  # standard input, output, error


def learn_soon(deck: Deck) -> None:
    """Starts the command and leaves it alone."""
    command = deck.names("learn_command")
    if not command or not deck.share("learns_at_end") or not hasattr(os, "posix_spawnp"):
        return
    nowhere = [(os.POSIX_SPAWN_OPEN, handle, os.devnull, os.O_RDWR, 0) for handle in (0, 1, 2)]
    words = ["nice", "-n", "19", *command]
    _keep_handles_back()
    try:
        os.posix_spawnp(words[0], words, os.environ, file_actions=nowhere, setsid=True)
    except NotImplementedError:
        os.posix_spawnp(words[0], words, os.environ, file_actions=nowhere, setpgroup=0)


def _keep_handles_back() -> None:
    """Hands on no handle but the usual three. One that was open for the listing alone is gone by now."""
    try:
        names = os.listdir("/dev/fd")  # noqa: PTH208 - pathlib is slow to load
    except OSError:
        return
    for name in names:
        if name.isdecimal() and int(name) > _LAST_USUAL:
            try:
                os.set_inheritable(int(name), False)
            except OSError:
                continue
