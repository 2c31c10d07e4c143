"""What is said at the end of a session: how the person took it, and what the agent's last reply reports.

Told by form alone, and narrowly. A prompt counts as thanks, as a correction or as giving up only if it begins like one;
most prompts are none of these. Of the last reply each sentence is looked at by itself, without code and quotations: one
that tells of the past ("it failed because …", "no longer fails") or of what others did says nothing. English, with the
commonest turns of a few other languages; a reply that is not understood is a reply that reports.
"""

import re
from typing import NamedTuple

_SHORT = 200
_CORRECTS = re.compile(
    r"^\W*(?:no[,.! ]+(?!problem|worries|need)|nope\b|wrong\b|stop\b|wait\b|that'?s (?:not|wrong)|this is (?:not|wrong)"
    r"|not what\b|i (?:said|meant|asked|told you|didn'?t (?:ask|want))|why (?:did|do|are|have) you\b|you (?:forgot"
    r"|missed|broke|should (?:have|not)|didn'?t|did not|are (?:wrong|not))|don'?t\b|do not\b|undo\b|revert\b"
    r"|please (?:revert|undo|don'?t)|still (?:not|fail|broken|the same|doesn)|it (?:still|doesn'?t|does not|didn'?t"
    r"|is still)|that (?:didn'?t|doesn'?t|broke)|actually,? (?:no|don|i|we|let)|(?:but )?(?:it|this) (?:should"
    r"|must) (?:not|be)|instead\b)",
    re.IGNORECASE,
)
_THANKS = re.compile(
    r"^\W*(?:(?:ok(?:ay)?|yes|yep|yeah|ah|oh|wow|alright|all right|good|super)\b[,.! ]+)?(?:(?:many |a lot of )?thank|thx\b|ty\b"
    r"|great\b|perfect|awesome\b|excellent\b|nice\b|lgtm\b|looks (?:good|great|fine|right)|works\b|it works|that works"
    r"|that did it|that was it|that fixed it|well done|cool\b|good job|yes,? (?:that|it) work|love it|amazing\b"
    r"|brilliant\b|fantastic\b|wonderful\b|ship it|all good|that'?s (?:it|all|great|perfect|right|exactly)|danke|merci"
    r"|gracias|谢谢|很好|完美|可以了|好的)",
    re.IGNORECASE,
)
_BUT = re.compile(
    r"\bbut\b|\bhowever\b|\bexcept\b|\bstill\b|\bnot\b|n't\b|\bfor nothing\b|\bno thanks?\b|\banyway\b", re.IGNORECASE
)
_REJECTS = re.compile(
    r"\b(?:revert|undo|roll (?:it |this |that )?back|put (?:it|everything) back|throw (?:it|this|that) away|back out)\b"
    r"|\bstill (?:not|fail\w*|broken|crash\w*|wrong|doesn|does not|the same|get\w*|see\w*|an? error|red)"
    r"|\b(?:doesn|didn|isn)'?t (?:work|help|fix|compile|build|run|start)|\b(?:does|did|is) not (?:work|help|fix|compile|build)"
    r"|\bnot working\b|\b(?:worse|useless|unusable|nonsense)\b|\b(?:same|another) (?:error|failure|problem|crash)"
    r"|\bbroke(?:n)?\b|\bnot what i\b|\b(?:this|that|it)(?:'s| is| was) (?:all |completely |totally )?wrong\b",
    re.IGNORECASE,
)
_GIVES_UP = re.compile(
    r"^\W*(?:(?:ok(?:ay)?|actually|hmm+|no|sorry|ah|oh|wait|stop)\b[,.! ]+)*(?:never ?mind|forget (?:it|about)|cancel\b"
    r"|stop\W*$|stop (?:here|it|this|that|now|for)|leave it\b|drop (?:it|this|that)\b|don'?t bother|scrap (?:it|this|that)"
    r"|abort\b|let'?s (?:stop|leave|drop|not|do (?:it|this) (?:later|another))|i'?ll (?:do|handle|fix|finish|take)\b"
    r"|i (?:will|can) do (?:it|this) myself|i(?:'ve| have)? changed my mind|changed my mind|we don'?t need (?:it|this)"
    r"|i (?:have|need|got) to (?:go|run|leave)|gotta go|not now\b|skip (?:it|this)\W*$|算了|不用了)"
    r"|\bi give up\b|\b(?:do|fix|finish) (?:it|this) myself\b|\bcome back (?:to (?:it|this) )?(?:later|tomorrow)\b",
    re.IGNORECASE,
)
_LEAVES = re.compile(r"^\W*(?:exit|quit|bye|goodbye|clear|logout|:q)\W*$", re.IGNORECASE)

_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`|^>.*$|\"[^\"\n]{0,200}\"|“[^”\n]{0,200}”", re.DOTALL | re.MULTILINE)
_SENTENCE = re.compile(r"(?<=[.!?。！？])\s+|\n+")
_CANNOT = re.compile(
    r"\b(?:could(?:n't| not)|can(?:n't|'t|not| not)|(?:am|was|were|'m) (?:not able|unable)|(?:was|were)n't able|unable to"
    r"|(?:have|has|had)(?:n't| not) (?:been able|managed|succeeded)|did(?:n't| not) (?:manage|succeed)|failed to)\b"
    r"(?!\s+(?:be sure|stress|recommend|find any (?:problem|issue|bug)|see any))"
    r"|\b(?:not|isn't|is not) (?:possible|feasible|achievable)\b|\bimpossible\b|\bno (?:way|means) to\b"
    r"|\b(?:i am|i'm|we are|we're|task is|work is) (?:stuck|blocked)\b|\bgiv(?:e|ing) up\b|\bgave up\b|\bmissing permission"
    r"|\b(?:attempt|approach|fix|change|workaround)s? (?:did(?:n't| not) work|(?:has |have )?failed)\b|\bnothing (?:works|worked|helped)\b"
    r"|无法|失败了|没能",
    re.IGNORECASE,
)
_STILL = re.compile(
    r"\bstill (?:fail\w*|broken|red|crash\w*|errors?|not |does(?:n't| not)|return\w* (?:the )?(?:wrong|error)|time\w* out|hang\w*"
    r"|reproduc\w*|present|open|missing|happen\w*|occur\w*)"
    r"|\b(?:tests?|builds?|suite|checks?|ci|lint\w*|it|this|compilation|pipeline) (?:(?:is|are|keeps?) (?:still )?(?:failing|broken|red)"
    r"|fails?|do(?:es)?(?:n't| not) (?:work|pass|compile|build))\b"
    r"|\b[1-9]\d* (?:of \d+ )?(?:tests? |checks? )?(?:still )?(?:fail(?:s|ed|ing|ures?)?|errors?)\b(?! (?:to|before|were|was))"
    r"|\b(?:is|are|was|were|has|have)(?:n't| not) (?:been )?(?:fixed|solved|resolved|working|complete[d]?|finished|implemented)\b"
    r"|\bno(?:t|ne of them) (?:yet )?(?:fixed|solved|resolved|working|complete[d]?|finished|implemented|passing)\b",
    re.IGNORECASE,
)
_OPEN = re.compile(
    r"\b(?:not (?:yet|done|tested|verified|included|covered|attempted|started|run)|(?:have|has|did|was|were|is|are)(?:n't| not)"
    r" (?:yet |been |yet been )?(?:test|verif|run\b|ran\b|start|attempt|touch|finish|complet|push|commit|deploy|implement|done|migrat|cover)\w*"
    r"|unverified|untested|remain(?:s|ing)? (?:to be |work|tasks?|items?|steps?|part|open|undone|failing|unfinished)|left (?:to do|undone|open|over|out|unfinished)"
    r"|(?:is|are|remains?) (?:still )?(?:incomplete|unfinished|pending|outstanding|unresolved|to ?do|missing)"
    r"|still (?:to do|to be done|needs?|need to|outstanding|pending|missing|open|todo|have to)|partial(?:ly)?\b|incomplete|unfinished"
    r"|only (?:the )?(?:first|one|two|three|half|part|some)\b|half (?:of|done)|skipped|ran out of|stopped (?:here|there|short|before|after)|\btodo\b"
    r"|未完成|尚未|还没)",
    re.IGNORECASE,
)
_PAST = re.compile(
    r"\b(?:no longer|used to|previously|earlier|originally|before (?:the|my|this|that|these)|without (?:the|my|this|it)|would(?:n't)?|if|unless"
    r"|pre-?existing|unrelated|not related|already (?:failing|broken|failed)|on main|was failing|were failing|root cause|so that|expected"
    r"|as (?:requested|asked|you asked|instructed)|by design|intentional\w*|on purpose|optional\w*|per your|you asked|out of scope|flak(?:y|e|es)"
    r"|now (?:pass|work|return|succeed|handle|correct)\w*|instead of|rather than|whether|ensures?|prevents?|avoids?|guards?|reject\w*|rais(?:e|es|ing))\b",
    re.IGNORECASE,
)
_DONE = re.compile(
    r"(?:^|[\s*#>✅✔-])(?:all )?(?:done|fixed|finished|completed?|implemented|added|created|updated|removed|renamed|committed|pushed|merged|resolved"
    r"|solved|wrote|written|moved|replaced|installed|deployed|released|published|opened|closed|refactored|migrated|applied)\b"
    r"|\b(?:everything|all (?:\w+ )?(?:tests?|checks?)) (?:now )?(?:pass|works?|green)|\bworks (?:now|as expected)|\bsuccessful(?:ly)?\b|✅|完成|已",
    re.IGNORECASE,
)
_NEEDS = re.compile(
    r"\b(?:please (?:provide|confirm|share|paste|tell|clarify|specify|let me know (?:which|what|how|where))|(?:could|can) you (?:please )?(?:clarify|provide|share|confirm"
    r"|tell|paste|specify|point)|i (?:need|would need|require) (?:you|your|more|the|some|access|a )|which (?:one|of|file|option|approach|version|repo\w*|project|branch)\b[^.]*\?"
    r"|what (?:would you like|do you want|should i|is the)\b[^.]*\?|before i (?:start|proceed|continue|begin|implement|go|make)|waiting for your|awaiting your"
    r"|do you have\b[^.]*\?|where (?:is|are|can i find)\b[^.]*\?)",
    re.IGNORECASE,
)
_INTENDS = re.compile(
    r"^\W*(?:(?:ok(?:ay)?|now|next|first|then|good|great|perfect|alright|so)\b[,.! ]+)*(?:let me (?!know)|let's |i'?ll |i will |i'm (?:now )?(?:going|about|"
    r"\w+ing)\b|i am (?:now )?(?:going|about|\w+ing)\b|now (?:i|let|to)\b|next,? i\b|time to )",
    re.IGNORECASE,
)
_LEAD = 2  # sentences in which a reply says what it comes to


class Report(NamedTuple):
    """What the last reply of an agent says of the task."""

    is_done: bool = False  # that something was done
    cannot: bool = False  # at its beginning: that it could not be done, or still fails
    left_open: bool = False  # anywhere: that a part fails, was not done or was not verified
    needs_answer: bool = False  # that it cannot go on without one
    is_intent: bool = False  # nothing but what comes next, which then did not come


def reported(beginning: str, end: str) -> Report:
    """What a reply reports, of which the beginning and, if it is long, the end are given."""
    sentences = [*_sentences(beginning), *_sentences(end)]
    telling = [sentence for sentence in sentences if not _PAST.search(sentence)]
    lead = [sentence for sentence in sentences[:_LEAD] if not _PAST.search(sentence)]
    bad = [sentence for sentence in telling if _CANNOT.search(sentence) or _STILL.search(sentence)]
    return Report(
        is_done=any(_DONE.search(sentence) for sentence in sentences),
        cannot=any(sentence in bad for sentence in lead) and not any(_DONE.match(sentence) for sentence in lead[:1]),
        left_open=bool(bad) or any(_OPEN.search(sentence) for sentence in telling),
        needs_answer=any(_NEEDS.search(sentence) for sentence in sentences[-3:]),
        is_intent=bool(sentences) and bool(_INTENDS.match(sentences[-1])),
    )


def _sentences(text: str) -> list[str]:
    plain = _CODE.sub(" ", text.replace("’", "'"))
    return [sentence.strip() for sentence in _SENTENCE.split(plain) if sentence.strip(" -*#|>.:")]


def is_correction(prompt: str) -> bool:
    return bool(_CORRECTS.match(prompt.strip()[:_SHORT]))


def is_thanks(prompt: str) -> bool:
    text = prompt.strip()
    return len(text) <= _SHORT and bool(_THANKS.match(text)) and not _BUT.search(text)


def is_rejection(prompt: str) -> bool:
    """That what was done does not work, or is to be undone."""
    return bool(_REJECTS.search(prompt.strip()[:_SHORT].replace("’", "'")))


def is_giving_up(prompt: str) -> bool:
    return bool(_GIVES_UP.search(prompt.strip()[:_SHORT].replace("’", "'")))


def is_leaving(prompt: str) -> bool:
    """A word to the program, not to the agent."""
    return bool(_LEAVES.match(prompt))
