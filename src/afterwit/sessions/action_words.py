"""What an action was about, in one line, as people read it: paths from the session's folder or the home on."""

import re

from afterwit.model.captured import ActionRow
from afterwit.model.text.amounts import human_count

_HOME = re.compile(r"/(?:Users|home)/‹user:[0-9a-f]+›/")


def from_home(path: str) -> str:
    """Paths below a user's home begin with a tilde: shorter, and everyone knows whose."""
    return _HOME.sub("~/", path)


def target_line(action: ActionRow, folder: str) -> str:
    """The first line of what it was about; paths below the session's folder are shown from there."""
    lines = [line for line in action.target.splitlines() if line.strip()]
    first = " ".join(lines[0].split()) if lines else action.tool
    if folder.count("/") > 1:
        first = re.sub(rf"{re.escape(folder)}(?:(/)|(?![\w.-]))", lambda match: "" if match[1] else ".", first)
    first = from_home(first)
    return f"{first} (+{human_count(len(lines) - 1, 'line')})" if len(lines) > 1 else first
