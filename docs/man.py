"""Writes manual pages, one per command, from the data that the reference pages are made of.

    python docs/man.py FOLDER          writes FOLDER/man1/afterwit.1, afterwit-learn.1 and so on

Plain `man` macros, so that any `man` shows them and nothing has to be installed to make them. They are built, not kept:
they say what the reference pages say, and only who packages the program needs them as files.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from command_pages import CommandText, OptionText, command_texts

from afterwit import __version__

_CODE = re.compile(r"`([^`]+)`")


def main(arguments: list[str]) -> int:
    """Writes all pages, and removes those of commands that are gone."""
    if len(arguments) != 1:
        sys.stderr.write("usage: python docs/man.py FOLDER\n")
        return 2
    folder = Path(arguments[0]) / "man1"
    folder.mkdir(parents=True, exist_ok=True)
    for left_over in folder.glob("afterwit*.1"):
        left_over.unlink()
    for text in command_texts():
        (folder / f"{_title(text.name)}.1").write_text(manual_page(text), encoding="utf-8", newline="\n")
        if text.short_name:
            (folder / f"{_title(text.short_name)}.1").write_text(f".so man1/{_title(text.name)}.1\n", encoding="utf-8")
    return 0


def manual_page(text: CommandText) -> str:
    """One page in roff."""
    return "\n".join(_lines(text)) + "\n"


def _lines(text: CommandText) -> Iterator[str]:
    title, first = _title(text.name), text.paragraphs[0]
    yield f'.TH "{title.upper()}" "1" "" "afterwit {__version__}" "Afterwit"'
    yield from (".SH NAME", f"{_roff(title)} \\- {_roff(first.rstrip('.'))}")
    yield from (".SH SYNOPSIS", f"\\fB{_roff(text.usage)}\\fR")
    yield ".SH DESCRIPTION"
    for paragraph in text.paragraphs:
        yield from (".PP", _marked(paragraph))
    if text.short_name:
        yield from (".PP", _marked(f"Short: `{text.short_name}`."))
    yield from _listed("COMMANDS", [(child.name, child.first) for child in text.children])
    short = [(name, f"Short for `{long}`.") for name, long in text.short_names.items()]
    yield from _listed("SHORT NAMES", short)
    yield from _listed("OPTIONS", [(", ".join(option.names), _meaning(option)) for option in text.options])
    yield from _listed("EXIT STATUS", [(str(code), meaning) for code, meaning in text.exits])
    if text.examples:
        yield from (".SH EXAMPLES", ".nf", *map(_roff, "\n".join(text.examples).split("\n")), ".fi")
    near = [child.name for child in text.children] or [text.name.rpartition(" ")[0]]
    if any(near):
        yield from (".SH SEE ALSO", ", ".join(f"\\fB{_roff(_title(name))}\\fR(1)" for name in near))


def _listed(heading: str, entries: list[tuple[str, str]]) -> Iterator[str]:
    if entries:
        yield f".SH {heading}"
    for name, meaning in entries:
        yield from (".TP", f"\\fB{_roff(name)}\\fR", _marked(meaning) or "\\&")


def _meaning(option: OptionText) -> str:
    return f"{option.meaning} Default: {option.default}." if option.default else option.meaning


def _title(name: str) -> str:
    return name.replace(" ", "-")


def _marked(text: str) -> str:
    """Text with its code in bold."""
    return _CODE.sub(r"\\fB\1\\fR", _roff(text))


def _roff(text: str) -> str:
    """Text as roff shows it: hyphens that can be copied, backslashes as they are, nothing taken for a request."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-")
    escaped = "".join(letter if letter.isascii() else f"\\[u{ord(letter):04X}]" for letter in escaped)
    return f"\\&{escaped}" if escaped[:1] in (".", "'") else escaped


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
