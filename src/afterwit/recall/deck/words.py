"""The words by which a deck is looked up: quick to tell, and never missing what the exact comparison would find.

The exact questions (which signature does this failure have, does this command line match) need modules that take a hook
longer to load than everything else together. So the deck keeps, for each trigger, words that must occur wherever it
fires. Only where all of them occur is the exact question asked. Too few words cost time; a word that need not occur
would cost a hit, so what a signature rewrites or masks is left out. No regular expressions and no enumerations here,
for the same reason.
"""

_LONGEST_SIGNATURE = 120  # characters of a template; a longer one was cut, perhaps within a word
_REWRITTEN = ("command not found: ",)  # several wordings are brought to this one
_INVENTED = ("tests fail", "build fails")  # stand for no words of the output
_KINDS = ("shell", "read", "edit", "write", "search", "web", "mcp", "skill", "delegate", "plan", "other")
_PLAIN = {code: " " for code in range(128) if not chr(code).isalnum()}
_DIGITS = "0123456789."


def words_in(text: str) -> set[str]:
    """All words of a text, in lower case."""
    return set(text.translate(_PLAIN).lower().split())


def words_called(command: str) -> set[str]:
    """The words of a command line; `python3` also counts as `python`."""
    found = words_in(command)
    return found | {word.rstrip(_DIGITS) for word in found}


def needed_by_signature(signature: str) -> set[str]:
    """Words that occur in the command line or in the output of every failure with this signature."""
    head, _, template = signature.partition(": ")
    needed = set() if head in _KINDS else words_in(head)
    if template in _INVENTED:
        return needed
    for rewritten in _REWRITTEN:
        template = template.removeprefix(rewritten)
    chunks = template.split()
    if len(template) >= _LONGEST_SIGNATURE:
        chunks = chunks[:-1]
    return needed.union(*(words_in(chunk) for chunk in chunks if not _is_masked(chunk))) - {"rules"}


def needed_by_path(pattern: str) -> set[str]:
    """Words that occur in every path that this pattern fits."""
    return set().union(*(words_in(part) for part in pattern.split("/") if not set(part) & set("*?[\\")))


def _is_masked(chunk: str) -> bool:
    return "<" in chunk or ">" in chunk or "\0" in chunk
