"""Names that a piece of code defines: what an edit was about, at the cost of one pattern.

Covers the definitions of common languages by their keywords. Not a parser: a name in a string or a comment may come
along, one in an unusual form is missed.
"""

import re

_LONGEST_TEXT = 40_000
_DEFINITION = re.compile(
    r"^(?:@@ )?[ \t+-]*(?:export |default |public |private |protected |static |async |abstract "
    r"|pub(?:\(\w+\))? |unsafe )*"
    r"(?:def|class|func|function\*?|fn|struct|enum|trait|impl|interface|type|namespace|const|let|var|describe|it|test)"
    r"(?:[ \t]+\([^)\n]{1,80}\))?(?:[ \t]+|\([\"'`])([A-Za-z_$][\w$]{2,60})"
    r"|^[ \t+-]*(?:export |declare )*module[ \t]+([A-Z_a-z][\w:]{2,60})(?=[ \t]*(?:$|[{=]))",
    re.MULTILINE,
)


def symbols_in(code: str, most: int = 12) -> list[str]:
    """The first names defined in a piece of code, each once."""
    found: dict[str, None] = {}
    for match in _DEFINITION.finditer(code, 0, _LONGEST_TEXT):
        found[match[1] or match[2]] = None
        if len(found) == most:
            break
    return list(found)
