"""Text as the page shows it: nothing in it is markup, a link or an order to the browser.

Templates escape every value by themselves. Before that, characters that would change how the text around them is shown
(escapes of terminals, control characters, those that turn the direction of writing or take no room) are replaced by
signs that can be seen. This is the only way of a text into a page.
"""

import re
from typing import Any

from markupsafe import Markup, escape

_CONTROLS = {code: chr(0x2400 + code) for code in range(0x20) if chr(code) not in "\n\t"} | {0x7F: "␡"}
_CODE = Markup("<code>{}</code>")
_HIDDEN = re.compile(
    "[\x80-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\ud800-\udfff\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)


def visible(text: str) -> str:
    """The text with every character that acts instead of being seen replaced by a sign."""
    if text.isascii() and text.isprintable():
        return text
    return _HIDDEN.sub(_sign, text.replace("\r\n", "\n").translate(_CONTROLS))


def finalized(value: Any) -> Any:
    """What a template is about to print: nothing for None, visible text for any other text."""
    if value is None:
        return ""
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def prose(text: str) -> Markup:
    """A sentence of ours, whose commands and names stand between backticks: these are shown as code."""
    pieces = visible(text).split("`")
    if len(pieces) % 2 == 0:
        return escape(visible(text))
    shown = (_CODE.format(piece) if number % 2 and piece else escape(piece) for number, piece in enumerate(pieces))
    return Markup("").join(shown)


def _sign(hidden: re.Match[str]) -> str:
    return f"⟨{ord(hidden[0]):04X}⟩"
