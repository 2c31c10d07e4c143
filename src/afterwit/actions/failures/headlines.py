"""The headlines under which build tools put their report: they say that something failed, and not what.

The telling line comes below. Only headlines at the beginning are passed over; a message that is nothing but headlines
is left as it is.
"""

import re
from itertools import dropwhile

_HEADLINE = re.compile(
    r"\s*(?:\[ERROR\]\s*)?(?:"
    r"(?:FAILURE: )?Build failed with an exception\.?"
    r"|BUILD FAILED(?: in \S+)?"
    r"|error during build:"
    r"|COMPILATION ERROR\s*:?"
    r"|Failed to compile\.?"
    r"|Build failed with \d+ errors?:"
    r"|\* (?:What went wrong|Where):"
    r"|Build file '[^']*' line: \d+"
    r"|Execution failed for task '[^']*'\."
    r"|> Task \S+ FAILED"
    r"|\[(?:INFO|ERROR)\]\s*-*"
    r"|-{3,}"
    r")?\s*"
)


def below_headlines(error: str) -> str:
    """The message from its first telling line on."""
    return "\n".join(dropwhile(_HEADLINE.fullmatch, error.splitlines())) or error
