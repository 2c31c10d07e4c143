"""Text to the width of a terminal: wrapped at spaces, indentation kept, wide characters counted as wide.

A width of None is that of a pipe: nothing is wrapped or cut.
"""

import re

_TAB = 4
_NARROWEST = 20
_MARK = re.compile(r"\s*(?:[-*•] |\d{1,3}[.)] )?")  # what the lines that follow are indented by
_WORD = re.compile(r"\s*\S+")


def wrapped(text: str, width: int | None) -> list[str]:
    """The lines of a text, none longer than `width` cells."""
    lines: list[str] = []
    for line in text.expandtabs(_TAB).split("\n"):
        lines.extend([line.rstrip()] if width is None else wrapped_line(line.rstrip(), max(width, _NARROWEST)))
    return lines


def cut(line: str, width: int | None) -> str:
    """As much of one line as fits, with an ellipsis where something is missing."""
    if width is None or cells(line) <= width:
        return line
    kept = line[: max(0, width - 1)]
    while kept and cells(kept) > width - 1:
        kept = kept[:-1]
    return f"{kept.rstrip()}…"


def cells(text: str) -> int:
    """How wide the text is on a terminal."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def wrapped_line(line: str, width: int) -> list[str]:
    """One line as lines of at most `width` cells; those that follow are indented like the first."""
    if cells(line) <= width:
        return [line]
    mark = _MARK.match(line)
    indent = " " * min(mark.end() if mark else 0, width // 2)
    lines: list[str] = []
    current = line[: len(indent)]
    for word in _WORD.findall(line[len(indent) :]):
        joined = current + word
        if cells(joined) <= width:
            current = joined
            continue
        if len(current) > len(indent):
            lines.append(current)
            current = indent
        *whole, rest = _pieces(word.lstrip(), width - len(indent))
        lines.extend((current if at == 0 else indent) + piece for at, piece in enumerate(whole))
        current = (indent if whole else current) + rest
    return [*lines, current]


def _pieces(word: str, width: int) -> list[str]:
    """A word in pieces that fit; most fit as they are."""
    if cells(word) <= width:
        return [word]
    if word.isascii():
        return [word[at : at + width] for at in range(0, len(word), width)]
    pieces: list[str] = [""]
    used = 0
    for letter in word:
        size = cells(letter)
        if used + size > width:
            pieces.append("")
            used = 0
        pieces[-1] += letter
        used += size
    return pieces
