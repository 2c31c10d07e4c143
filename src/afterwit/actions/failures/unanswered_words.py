"""Words without which no message is about something else than the call: about the code, a passing fault, a repository.

`failure_class` reads messages with patterns that take long to load. Each of its patterns for failures that get no
answer needs one of these words, or a place in a file; a test goes through the patterns. So a message without any is one
of a wrong call or of the machine, unless the command itself is a check, and that can be told without loading them.
"""

_WORDS = (
    "-->|404|429|50|_test.go:|abort|again|another|assert|at (|broken|busy|cannot find module|changes|commit"
    "|compatible|compil|conflict|connect|could not apply|could not be|diagnostic|did not complete|diverge|eagain"
    "|eai_|econnreset|eof|eresolve|error|etimedout|exceeded|exit|expect|fail|fast-forward|fetch first|find any"
    "|format|found in|gateway|gem|hang up|hook|hung up|husky|impossible|in sync|installable|issue|limit|line "
    "|lint/|lock|manifest|merge|missing return|missing separator|modif|must be a|must first|need|no available"
    "|no matching|no package|no process|no session|no shell|no solution|no task|no upstream|not clean|not ok"
    "|offense|out of date|outdated|overload|package-lock|panic|patch does not|problem|progress|protected"
    "|pull request|push|received:|registry|rejected|repository does not|requests|schema|service|shell |socket"
    "|stash|status|stream|symbol|temporar|terminated|test summary|throttl|time|to locate package"
    "|trailing whitespace|unable to find package|unavailable|unbound|undefined|unknown process|unknown session"
    "|up to date|version|violation|warning|would"
)
_DIGITS = "0123456789"


def may_go_unanswered(message: str) -> bool:
    """Whether a message of one line may be about something else than the call."""
    lowered = message.lower()
    return any(word in lowered for word in _WORDS.split("|")) or names_code_place(lowered)


def names_code_place(message: str) -> bool:
    """Whether a message may point at a line of a file: `press.py:12`, `press.ts(4,7)`."""
    return any(mark + digit in message for mark in (":", "(", "[") for digit in _DIGITS)
