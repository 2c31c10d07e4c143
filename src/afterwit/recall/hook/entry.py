"""The entry point of hooks: `afterwit-hook <agent> <event> [--refuse] [--rewrite]`, the input on standard input.

Never breaks the agent: it ends with 0 whatever happens, within a limit of time, and says nothing where something of
ours went wrong. A thread of its own keeps the time, because it also ends a hook that waits for a lock or a slow disk.
Faults go to the spool. Loads only what the event needs; a test guards the list.
"""

import gc
import os
import sys
import time
from _thread import allocate_lock, start_new_thread

from afterwit.agents.hook_payloads import BEFORE, EVENTS, LONGEST_ID, PROMPT, READING_VARIABLE, START, payloads_of
from afterwit.model.standard_streams import open_closed_streams

CHECKS_ON = "checks-on"  # a file beside the deck that says that there are checks
CALLED = ".called"  # ends the name of a file in the spool whose time is that of an agent's latest call
_ACTION_SECONDS = 1.0
_BLOCK_SECONDS = 2.0
_LARGEST_INPUT = 64 << 20
_TOKENS = (
    "AKIA ASIA AIza eyJ ghp_ gho_ ghs_ github_pat_ glpat- hf_ npm_ sk- sk_ rk_ xox xapp- pypi- SG. ya29. gsk_ xai-"
)

_VARIABLE = "AFTERWIT_HOOK_SECONDS"
_MOST_DIGITS = 3
_DELIVERING = allocate_lock()
_closed: list[bool] = []


def main() -> None:
    """Answers one call and ends the process."""
    if os.environ.get(READING_VARIABLE):
        os._exit(0)
    gc.disable()  # the process ends before there is anything worth collecting
    agent, event, *flags = [*sys.argv[1:], "", ""]
    start_timer(_BLOCK_SECONDS if event in (START, PROMPT) else _ACTION_SECONDS)
    try:
        open_closed_streams()
        text = answered(agent, event, flags)
        stop_timer()
        _print(text)
    except Exception as error:  # noqa: BLE001 - nothing of ours may reach the agent
        _note_fault(agent, event, error)
    finally:
        os._exit(0)


def answered(agent: str, event: str, flags: list[str]) -> str:
    """What the agent is to read on standard output."""
    from afterwit.recall.deck.location import store_folder

    folder = store_folder(os.environ)
    if event not in EVENTS or not os.path.isdir(f"{folder}/spool"):  # noqa: PTH112
        return ""
    if event == BEFORE and not any(flags) and not os.path.exists(f"{folder}/{CHECKS_ON}"):  # noqa: PTH110
        _input()
        return ""  # before most calls there is nothing to ask
    payloads = payloads_of(agent)
    if payloads is None:
        return ""
    from afterwit.model.quick_json import loads
    from afterwit.recall.hook.call import HookCall

    payload = loads(_input().decode("utf-8", "replace"))
    if not isinstance(payload, dict):
        return ""
    moment = payloads.read(event, payload)
    if moment is None or not moment.session or not is_plain_id(moment.session) or not is_plain_id(moment.context):
        return ""
    _note_call(f"{folder}/spool/{agent}{CALLED}")
    moment.cwd = moment.cwd or _here()
    return HookCall(agent, payloads, moment, folder, flags).run()


def is_plain_id(text: str) -> bool:
    """Whether this can be noted as it is: no id has such marks in it, or begins as well-known tokens do."""
    has_marks = any(mark in text for mark in ("=", " ", "@", "\n", '"', "'", "://"))
    return len(text) <= LONGEST_ID and not has_marks and not text.startswith(tuple(_TOKENS.split()))


def _note_call(path: str) -> None:
    """So that it can be seen that an agent calls us at all: most calls have nothing to record. It is no fault if that
    cannot be noted."""
    try:
        os.utime(path)
    except FileNotFoundError:
        try:
            os.close(os.open(path, os.O_CREAT | os.O_EXCL, 0o600))
        except OSError:
            return
    except OSError:
        return


def _here() -> str:
    """The working folder; "" where it was removed."""
    try:
        return os.getcwd()  # noqa: PTH109
    except OSError:
        return ""


def _input() -> bytes:
    pieces = []
    size = 0
    while piece := os.read(0, 1 << 20):
        pieces.append(piece)
        size += len(piece)
        if size > _LARGEST_INPUT:
            return b""
    return b"".join(pieces)


def _print(text: str) -> None:
    content = text.encode("utf-8", "replace")
    while content:
        content = content[os.write(1, content) :]


def _note_fault(agent: str, event: str, error: Exception) -> None:
    """Into a file of its own: the session may be what could not be told. A fault here is nobody's any more."""
    from afterwit.recall.deck.location import store_folder
    from afterwit.recall.hook.call import SPOOL, fault
    from afterwit.store.spool_file import SpoolFile

    with SpoolFile(f"{store_folder(os.environ)}/{SPOOL}", agent, "") as file:
        file.append(fault(agent, "", event, error))


def start_timer(seconds: float) -> None:
    """Ends the process after so many seconds, unless it delivers by then. A machine that is slower than most may give
    it more by the variable, in whole seconds."""
    given = os.environ.get(_VARIABLE, "")
    more = int(given) if given.isascii() and given.isdigit() and len(given) <= _MOST_DIGITS else 0
    start_new_thread(_wait, (max(seconds, more),))


def stop_timer() -> None:
    """From here on the hook delivers. Where time is just up, this does not return: the process ends."""
    if not _closed:
        _DELIVERING.acquire()
        _closed.append(True)


def _wait(seconds: float) -> None:
    time.sleep(seconds)
    if _DELIVERING.acquire(blocking=False):
        os._exit(0)
