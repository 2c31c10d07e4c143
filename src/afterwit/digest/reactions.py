"""How a person reacts to what the agent did: content, correcting, or neither.

By form alone, and narrowly: a prompt counts as a correction or as thanks only if it begins like one or is short and
consists of one. Most prompts are neither.
"""

import re

_SHORT = 200
_CORRECTS = re.compile(
    r"^\W*(?:no[,.! ]+(?!problem|worries)|nope\b|wrong\b|stop\b|wait\b|that'?s (?:not|wrong)|this is (?:not"
    r"|wrong)|not what\b"
    r"|i (?:said|meant|asked|told you|didn'?t (?:ask|want))|why (?:did|do|are|have) you\b|you (?:forgot|missed"
    r"|broke|should"
    r" (?:have|not)|didn'?t|did not|are (?:wrong|not))|don'?t\b|do not\b|undo\b|revert\b|please (?:revert|undo|don'?t)"
    r"|still (?:not|fail|broken|the same|doesn)|it (?:still|doesn'?t|does not|didn'?t|is still)"
    r"|that (?:didn'?t|doesn'?t|broke)"
    r"|actually,? (?:no|don|i|we|let)|(?:but )?(?:it|this) (?:should|must) (?:not|be)|instead\b)",
    re.IGNORECASE,
)
_THANKS = re.compile(
    r"^\W*(?:thank|thx|great\b|perfect\b|awesome\b|excellent\b|nice\b|lgtm\b|looks good|works\b|it works"
    r"|well done|cool\b"
    r"|good job|yes,? (?:that|it) work|love it|amazing\b)",
    re.IGNORECASE,
)


def is_correction(prompt: str) -> bool:
    return bool(_CORRECTS.match(prompt.strip()[:_SHORT]))


def is_thanks(prompt: str) -> bool:
    text = prompt.strip()
    return len(text) <= _SHORT and bool(_THANKS.match(text))
