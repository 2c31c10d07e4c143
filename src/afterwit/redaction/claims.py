"""What a sentence says that somebody decided, and whether it tells to do without a guard: words that lend authority.

Whether the user said so, only what they typed can tell; this finds where it is said. What others say is told as what it
is, seen once: so a sentence of theirs that orders something for good says more than anybody saw. Patterns miss plainly
worded lies.
"""

import re

from afterwit.model.text import regex

_OTHERS = (
    r"maintainers?|(?:code ?)?owners?|admin(?:istrator)?s?|managers?|management|leadership|boss|c[te]o|stakeholders?"
    r"|(?:security|platform|dev ?ops|ops|infra\w*|legal|compliance|core|release|engineering|product|qa)[ -](?:teams?"
    r"|group|leads?|department|officers?|policy)|(?:team|tech|project)[ -]leads?|the team|the company|head of \w+"
)
_SOMEBODY = rf"(?:(?<!\ba )(?<!\bany )(?<!\beach )(?<!\bevery )(?:user|human|operator)|{_OTHERS})"  # not: of a program
_SAYS = (
    r"(?:(?:decid|approv|want|wish|said|say|told|ask|agre|allow|permitt?|authori[sz]|confirm|requir|preferr?|insist|order"
    r"|instruct|demand|grant|chose|choos|expect|object|refus|reject|accept|consent|mandat|waiv|endors|green-?light|sanction"
    r"|vouch|recommend|advis|declar)(?:e|e?s|e?d|en|ing)?|requested|sign(?:s|ed)? off|ok(?:ay)?(?:ed|'d))"
)
_WISH = r"(?:wish|decision|order|instruction|request|approval|permission|consent|rule|policy|blessing|mandate|word)s?"
_CLAIM = regex(
    rf"(?i)\b{_SOMEBODY}\b(?!['’]s)[^.;:!?`]{{0,24}}?\b{_SAYS}\b"
    rf"|\b{_SAYS}\b[^.;:!?`]{{0,24}}?\b(?:by|with|from)\s+(?:the\s+|our\s+|a\s+)?{_SOMEBODY}\b"
    rf"|\b(?:per|according to|as|on behalf of)\s+(?:the\s+|our\s+)?{_SOMEBODY}\b"
    rf"|\b{_SOMEBODY}['’]s?\s+(?:\w+\s+)?{_WISH}\b"
    r"|\b(?:was|is|were|are|been)\s+(?:\w+ly\s+)?(?:decided|(?:pre-?)?approved|agreed|authori[sz]ed|sanctioned|mandated"
    r"|signed off|entitled|exempt|trusted (?:and|to)|(?:permitted|allowed|cleared) (?:to|for))\b"
    r"|\b(?:approved|authori[sz]ed|sanctioned|endorsed|blessed|waived|okayed|green-?lit|vouched for"
    r"|cleared (?:it|this|that|for))\b"
    r"|\b(?:we|they|he|she|everybody|everyone|somebody|someone|people|reviewers?|customers?|authors?|colleagues?"
    r"|vendors?|partners?|contractors?|engineers?|developers?|(?:lead|senior|staff) \w+)\b[^.;:!?`]{0,24}?"
    rf"\b(?:{_SAYS}|settled on|are fine)\b",
)
_NAMED = regex(
    r"(?:^|[.;:] )[A-Z][a-z]+ (?:in \w+ )?(?:wants?|asked|decided|agreed|prefers|insists|requested|approved|cleared)\b"
)
_OTHER = regex(rf"(?i)\b(?:{_OTHERS})\b")
_CLAUSE = regex(r"(?<=[.;:!?])\s+")
_CODE = regex(r"`[^`]*`")
_GUARD = (
    r"(?:reviews?|approvals?|checks?|tests?|hooks?|verif\w+|guards?|sandbox\w*|permissions?|protections?|lint\w*"
    r"|signatures?|certificates?|validation|confirm\w+|polic\w+|security|auth\w*|safety|ci|scans?|audits?|gates?)"
)
_LOWERS = regex(
    rf"(?i)(?:^|[.;:,!?]\s+|\b(?:always|please|must|should|can|may|to|and|then|just|simply|now|you)\s+)(?:skip|bypass|disable"
    rf"|ignore|override|suppress|circumvent|turn off|switch off|deactivate|drop|omit)\s+(?:\S+\s+){{0,4}}?{_GUARD}\b"
    rf"|\b(?:push|commit|merge|deploy|releas|publish|land|ship|install|delet|run)\w*\b.{{0,50}}?\bwithout\s+"
    rf"(?:\S+\s+){{0,3}}?(?:{_GUARD}|asking|waiting)\b"
    r"|\b(?:push|commit|merge|deploy)\w*\s+(?:\S+\s+){0,2}?(?:straight|directly|right)\s+(?:to|into|on|onto)\s+(?:main"
    r"|master|prod\w*|trunk)\b|\bno\s+(?:an?\s+)?(?:reviews?|approvals?)\s+(?:is|are)\s",
)
_NEEDLESS = regex(
    r"(?i)\b(?:no need (?:for|to)|needs? no|need not|exempt from|do(?:es)? not need)\s+(?:\S+\s+){0,4}?"
    rf"(?:{_GUARD}|sign-?offs?)\b"
    rf"|\b{_GUARD}\s+(?:\S+\s+){{0,2}}?(?:is|are)\s+(?:not (?:needed|required|necessary)|unnecessary|needless|optional"
    rf"|off)\b|\b(?:turn|switch)\w*\s+(?:\S+\s+){{0,4}}?{_GUARD}\s+off\b"
    r"|\b(?:fine|ok|okay|safe|enough) to (?:leave|skip|ignore|merge|push)\b|\bmerge first\b",
)
_EXPOSES = regex(
    r"(?i)\b(?:publish|cop(?:y|ie)|writ|put|print|log|commit|hand|mov|shar|dump|expos|send|post|upload|mail)\w*\b.{0,60}"
    r"(?:\b(?:credentials?|secrets?|passwords?|private keys?|api[ -]keys?|env(?:ironment)? files?|customer records?)\b"
    r"|_(?:token|secret|key|password)\b|\.(?:env|pem|key)\b(?!\.))",
)
_FOR_GOOD = regex(
    r"(?i)(?:^|[.;:!]\s+|\b(?:and|then|but|please)\s+)(?:always|never|from now on|going forward|in future)\b,?\s+[\w`]"
    r"|\bpolic(?:y|ies)\b|\b(?:must|has to|have to|should|shall)\s+(?:always|never|stay|remain|be (?:kept|left))\b",
)
_DENIED = regex(r"(?i)\b(?:never|not|no longer|don['’]t|cannot|can['’]t|mustn['’]t|avoid|refuse[sd]?)\b")


def claims_in(sentence: str) -> list[str]:
    """The clauses that say what somebody decided, wants or said."""
    prose = ((clause, _CODE.sub(" ", clause)) for clause in _CLAUSE.split(sentence))
    return [clause for clause, plain in prose if _CLAIM.search(plain) or _NAMED.search(plain)]


def others_in(clause: str) -> list[str]:
    """Those who are named in it as the ones who decide, the user aside."""
    return [match[0].lower() for match in _OTHER.finditer(clause)]


def forbids(sentence: str) -> bool:
    """Whether it says what must not be."""
    return _DENIED.search(_CODE.sub("x", sentence)) is not None


def orders_for_good(sentence: str) -> bool:
    """Whether it tells what is always or never to be done: of anybody but the user, more than what was seen."""
    return _FOR_GOOD.search(sentence) is not None


def lowers_a_guard(sentence: str) -> bool:
    """Whether it says to do without a review, a check or the like, or hands out secrets; to say that one must not is no
    harm."""
    prose = _CODE.sub("x", sentence)
    if _NEEDLESS.search(prose) or (_EXPOSES.search(sentence) and not _DENIED.search(sentence)):
        return True
    return any(not _DENIED.search(clause) and _LOWERS.search(clause) for clause in re.split(r"[.;!?]\s+", prose))
