"""The gate before everything that an agent is ever shown, whatever its way: start, prompt, failure, MCP, files.

A text for an agent has the type `Shown`, and only this module and `knowledge.shown_items` make one: what takes
texts out of the program takes nothing else, mypy says so, and a test looks for whoever goes around. Each function here
is for one kind of text and gives "" where it may not be shown. Words of ours are fixed in the code. A user is quoted as
typed. Names of files, programs and repositories are shown in a closed form that cannot be a sentence, commands as one
line. What tools, pages, files and agents said is not shown at all, unless the owner lets an agent read whole sessions
for them. Imports what it needs when it is needed, for hooks'
sake.
"""

TYPE_CHECKING = False  # as `typing` has it, which takes a hook too long to load
if TYPE_CHECKING:
    from collections.abc import Iterable
    from enum import StrEnum
    from typing import NewType

    Shown = NewType("Shown", str)
else:
    Shown = str  # a text that an agent may read

NOTHING = Shown("")
_LONGEST_COMMAND = 400
_LONGEST_COMPLAINT = 1_000
_LONGEST_PIECE = 8_000  # characters, well below the longest block that is taken out of logs without its end
_GAP = "…"


def ours(text: str) -> Shown:
    """Words that stand in the code. A test sees that nothing else is given to this."""
    return Shown(text)


def label(value: "StrEnum") -> Shown:
    """One of the values of a closed set, as it is said where it has words of its own."""
    return Shown(str(getattr(value, "in_words", value)))


def figure(value: float, digits: int = 0) -> Shown:
    return Shown(f"{value:.{digits}f}")


def stamp(text: str) -> Shown:
    """An id or a day: letters, digits and dashes; anything else gives a gap."""
    return Shown(text) if text.replace("-", "").replace("_", "").isalnum() and text.isascii() else Shown(_GAP)


def path(text: str) -> Shown:
    """A path inside a repository, between backticks; "" where it could be more than a name."""
    from afterwit.redaction.plain_names import is_plain_path

    return Shown(f"`{text}`") if is_plain_path(text) else NOTHING


def name(text: str) -> Shown:
    """The name of a repository, an agent or a tool; "" where it could be more."""
    from afterwit.redaction.plain_names import is_plain_name

    return Shown(text) if is_plain_name(text) else NOTHING


def command(line: str) -> Shown:
    """A command line made of an advice that passed the gate and of the agent's own command, between backticks."""
    text = " ".join(line.split()).replace("`", "'")
    is_fit = text.isprintable() and len(text) <= _LONGEST_COMMAND
    return Shown(f"`{_defuse(text)}`") if text and is_fit else NOTHING


def typed(text: str) -> Shown:
    """What a user typed, in quotation marks and one line."""
    line = " ".join("".join(char if char.isprintable() else " " for char in text).split()).replace('"', "'")
    return Shown(f'"{_defuse(line)}"') if line else NOTHING


def complaint(text: str) -> Shown:
    """A message of ours about a wrong call, with the names that it mentions. What could be a sentence is left out."""
    from afterwit.redaction.plain_names import reads_like_a_sentence

    words = text[:_LONGEST_COMPLAINT].split(" ")
    kept = [_GAP if reads_like_a_sentence(word) or not _is_printable(word) else word for word in words]
    return Shown(_defuse(" ".join(kept)))


def of_deck(text: object) -> Shown:
    """A text from a deck, which holds nothing that did not pass when it was written."""
    return Shown(text if isinstance(text, str) else "")


def joined(parts: "Iterable[Shown]", between: str = "") -> Shown:
    """Texts in a row; empty ones are left out."""
    return Shown(between.join(part for part in parts if part))


def lines(text: Shown) -> list[Shown]:
    return [Shown(line) for line in text.splitlines()]


def cut(text: Shown, most: int) -> Shown:
    """The beginning of a text, whole lines where there are any."""
    return text if len(text) <= most else Shown(text[:most].rpartition("\n")[0] or text[:most])


def between_markers(text: Shown, opening: str, closing: str) -> Shown:
    """A block as it is given to an agent. Nothing in it can close the markers, also not two lines together."""
    return Shown(f"{opening}\n{_defuse(text)}\n{closing}")


def asked_to_read(text: str, opening: str, closing: str) -> Shown:
    """A session that the owner lets an agent read for them: the only text with what tools and pages said. It comes in
    pieces, each between markers, so that nothing of it is taken for a part of the reader's own session, wherever a
    client cuts it."""
    pieces: list[str] = []
    for line in _defuse(text).splitlines():
        if not pieces or len(pieces[-1]) + len(line) >= _LONGEST_PIECE:
            pieces.append("")
        pieces[-1] += f"{line[:_LONGEST_PIECE]}\n"
    return Shown("\n".join(f"{opening}\n{piece}{closing}" for piece in pieces))


def _defuse(text: str) -> str:
    """Without markers of ours. Few texts name us, and a hook need not load what looks for them."""
    if "afterwit" not in text.casefold():
        return text
    from afterwit.redaction.markers import defused

    return defused(text)


def _is_printable(word: str) -> bool:
    return all(character.isprintable() or character == "\n" for character in word)
