"""How far a sentence decides something, by its form: what people say when they settle, refuse or change a matter.

Rough on purpose. It only orders what is quoted from a conversation that is known to be about the task; it never makes
something worth quoting by itself. A question decides nothing, neither do thanks and plain orders of the moment.
"""

import re

_SETTLES = re.compile(
    r"\blet'?s (?:go with|use|keep|stick|drop|not|never|only|always|call|name|make (?:it|them|that|the)|have"
    r"|limit|store"
    r"|put|move to|switch|default|support|skip|leave|avoid|stay|require|allow|treat|say|agree|settle|cap|go for)\b"
    r"|\b(?:go|going|went|gone) (?:with|for)\b|\bstick(?:ing)? (?:to|with)\b|\bsettle[ds]? (?:on|for|that)\b"
    r"|\b(?:decided|decision|agreed|agree|settled|chose|chosen|opted|final answer|verdict|approved|sign(?:ed)? off)\b"
    r"|\binstead\b|\bno longer\b|\brather than\b|\bin favou?r of\b|\bprefer\b|\bnot \S+(?: \S+){0,4},? but\b"
    r"|\b(?:call|name|label|prefix) (?:it|them|this|that|the)\b|\bshould be (?:called|named)\b"
    r"|\bmake (?:it|that|them|this) (?!work|pass|compile|green)\w+|\bdefaults? (?:to|is|of|should|stays)\b"
    r"|\b(?:option|variant|plan|version|choice) (?:[a-d]|one|two|three|\d)\b"
    r"|\bthe (?:first|second|third|former|latter)(?: one| option)?\b",
    re.IGNORECASE,
)
_PROPOSES = re.compile(
    r"\b(?:let'?s|(?:we|i)(?:'ll| will| would|'d| should| could)?) (?:go with|use|keep|stick (?:to|with)|drop|not"
    r"|pick|call"
    r"|name|store|make|choose|settle|limit)\b|\b(?:suggest|recommend|propose)\b"
    r"|\b(?:we|you|the user)(?:'ve| have)? (?:decided|agreed|settled|chose|opted)\b|^decision\b",
    re.IGNORECASE,
)
_DEMANDS = re.compile(
    r"\b(?:must|shall|always|never|only|has to|have to|needs? to|no more than|at most|at least|exactly|by default)\b"
    r"|\bshould\b|\b(?:we|i|it|they|this|that)(?:'ll| will|'re going to| are going to|'s going to)\b"
    r"|\b(?:do not|don'?t|won'?t|no need|not going to|drop|keep|avoid|leave|skip|use|put|store|keyed|capped?|limit)\b"
    r"|\b(?:we|i) (?:want|need|only|use)\b|\bfrom now on\b",
    re.IGNORECASE,
)
_ANSWERS = re.compile(
    r"^\W*(?:yes|yeah|yep|yup|no|nope|nah|neither|both|correct|exactly|right|agreed|fine|ok(?:ay)?|sure|sounds good"
    r"|do (?:it|that)|go ahead)\b",
    re.IGNORECASE,
)
_CHANGES = re.compile(
    r"\b(?:instead|rather than|after all|no longer|not any ?more|anymore|scrap|revis(?:e|it|ed|ing|iting)"
    r"|supersedes?|overrul\w+"
    r"|overrides?|reconsider\w*|revers(?:e|ed|ing)|walk(?:ing)? back|back to|switch(?:ed|ing)? (?:\w+ ){0,4}to"
    r"|mov(?:e|ed|ing) (?:\w+ ){0,4}(?:off|away|from|over)|chang(?:e|ed|ing)|correction|amend\w*|second thoughts?"
    r"|actually|replac\w+|drop(?:ped|ping)?|bump\w*|raise[ds]?|lower(?:ed)?|not \S+ (?:as|like) we"
    r"|forget (?:what|about|the)|undo|overturn\w*|update on)\b"
    r"|\b(?:we|i|you) (?:had )?(?:said|agreed|decided|settled|picked|chose|talked|discussed|planned)\b"
    r"|\b(?:earlier|previous(?:ly)?|last (?:time|week|month)|the other day|originally)\b|\bnow\b",
    re.IGNORECASE,
)
_DETAIL = re.compile(
    r"\b(?i:one|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty|thirty|forty|fifty|sixty|ninety"
    r"|until|within|per|each|every|both|all of them|no later than|same|hundred|thousand|million|percent|hourly"
    r"|daily|nightly|weekly|monthly|yearly)\b|`[^`]+`|\b\d|\b\w+[_./-]\w+|\b[A-Z]{2,}\b|\b[a-z]+[A-Z]\w+"
    r"|\"[^\"]+\"|'[^' ]+'"
)
_ASKS = re.compile(
    r"\?\W*$|^\W*(?:can|could|would|will|do|does|is|are|what|which|why|how|where|who) (?:you|we|i|it|the|this"
    r"|that)\b",
    re.IGNORECASE,
)
_IDLE = re.compile(
    r"^\W*(?:(?:ok(?:ay)?|thanks?|thank you|thx|great|perfect|nice|cool|good|lgtm|looks good|please|go on|hm+"
    r"|interesting|i see|understood|noted|let me think(?: about it)?|continue|sure"
    r"|yes|yeah|no|hi|hello|hey|works?|done|ship it|awesome|for now|that'?s all|all right|alright)\W*){1,6}$",
    re.IGNORECASE,
)
_UNSURE = re.compile(
    r"\b(?:i wonder|maybe|perhaps|not sure|i guess|what if|no idea|let me think|might)\b", re.IGNORECASE
)
_MOMENT = re.compile(
    r"^\W*(?:(?:ok(?:ay)?|now|then|please|and|also|great|good|yes|yeah|yep|sure|let'?s|can you|you can|we can|just|so"
    r"|go ahead(?: and)?|fine)\W+)*(?:run|commit|push|create|apply|update|do (?:it|that|so)|please|spawn|delete|close"
    r"|resolve|address|proceed|implement|review|make sure|remove|tidy|clean|rebase|merge|open|show|print"
    r"|look|check|rerun|re-run|fix|explain|tell|find|read(?!.only)|investigate|debug|try|help|continue|keep going"
    r"|go on|start|add commit|clear|make (?:check|test|build|prepare|format)|write the|add (?:a|the)"
    r" (?:test|tests))\b",
    re.IGNORECASE,
)


def force(sentence: str) -> float:
    """0 where nothing is decided; about 1 for one sign, up to 3 for several; a little for any plain statement."""
    if _IDLE.search(sentence) or _ASKS.search(sentence):
        return 0.0
    settles, demands = bool(_SETTLES.search(sentence)), bool(_DEMANDS.search(sentence))
    if not settles and _MOMENT.search(sentence):
        return 0.5 if demands else 0.2
    signs = 1.2 * settles + 0.8 * demands
    signs += 0.5 * bool(_ANSWERS.search(sentence)) + 0.4 * bool(_DETAIL.search(sentence))
    return round((0.3 + signs) * (0.4 if _UNSURE.search(sentence) else 1.0), 2)


def is_proposal(sentence: str) -> bool:
    """Whether it settles or proposes something in so many words: what an agent has to say to be quoted."""
    return _PROPOSES.search(sentence) is not None


def is_change(text: str) -> bool:
    """Whether it speaks of something that was settled before and is different now."""
    return _CHANGES.search(text) is not None
