"""Names that a piece of code defines, in most languages that people write: by the words that begin a definition.

A line of a diff counts like a line of code. Deliberately coarse: a name too many costs nothing, and no parser is
needed.
"""

import re

from afterwit.model.text.patterns import regex

_LONGEST_TEXT = 40_000
_DEFINITION = regex(
    r"^(?:@@ )?[ \t+-]*(?:export |default |public |private |protected |static |async |abstract "
    r"|pub(?:\(\w+\))? |unsafe )*"
    r"(?:def|class|func|function\*?|fn|struct|enum|trait|impl|interface|type|namespace|const|let|var|describe|it|test)"
    r"(?:[ \t]+\([^)\n]{1,80}\))?(?:[ \t]+|\([\"'`])([A-Za-z_$][\w$]{2,60})"
    r"|^[ \t+-]*(?:export |declare )*module[ \t]+([A-Z_a-z][\w:]{2,60})(?=[ \t]*(?:$|[{=]))",
    re.MULTILINE,
)


def definitions_in(code: str, most: int = 12) -> list[str]:
    """The first names defined in a piece of code, each once."""
    names: dict[str, None] = {}
    for match in _DEFINITION.finditer(code, 0, _LONGEST_TEXT):
        names[match[1] or match[2]] = None
        if len(names) == most:
            break
    return list(names)
