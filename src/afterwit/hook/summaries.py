"""Short summaries of calls for the spool, without anything that could be a secret.

The rules of `guard` take a hook too long to load, so only words that cannot be secrets are kept: plain words, names of
options and short paths. Of an assignment or an option with a value the name is kept. Words with digits in them, long
ones, and whatever follows a name that smells of a secret become an ellipsis. Whoever takes the spool in redacts again.
"""

LONGEST = 200
_LONGEST_WORD = 32
_MOST_DIGITS = 3
_GAP = "…"
_SMELLS = ("pass", "pwd", "secret", "token", "key", "auth", "cred", "bearer", "cookie", "session", "sign", "login")
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./,:+()[]{}'!?;|&<>*#\"`$~^%")


def summary(text: str) -> str:
    """The beginning of a text, as far as it is plainly harmless."""
    kept: list[str] = []
    is_after_secret = False
    for word in text[: 4 * LONGEST].split():
        name, mark, value = word.partition("=")
        shown = _GAP if is_after_secret else name if _is_plain(name) else _GAP
        if mark and not is_after_secret:
            shown += mark + (value if _is_plain(value) and not _smells(name) else _GAP)
        is_after_secret = _smells(name) and not (mark and value)
        if shown != _GAP or kept[-1:] != [_GAP]:
            kept.append(shown)
    return " ".join(kept)[:LONGEST]


def _is_plain(word: str) -> bool:
    if len(word) > _LONGEST_WORD or "@" in word or "://" in word or not _PLAIN.issuperset(word):
        return False
    return sum(each.isdigit() for each in word) <= _MOST_DIGITS


def _smells(name: str) -> bool:
    folded = name.lower()
    return any(smell in folded for smell in _SMELLS)
