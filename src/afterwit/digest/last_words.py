"""What is said at the end of a session: how the person took it, and what the agent's last reply reports.

Told by form alone. A prompt counts as thanks, as a correction or as giving up only if it begins like one, or says so in
its first words; most prompts are none of these. Of a reply each sentence is looked at by itself, without code and
quotations: one that tells of the past, of a condition or of what was wanted ("it failed because …", "no longer fails")
says nothing. The forms are English, with a few of other languages; a reply that is not understood just is a reply.
"""

import re
from typing import NamedTuple

from afterwit.model.text import Phrases, regex

_SHORT = 200
_LONG = 500  # characters: a longer prompt is a task, whatever it complains of
_LEAD = 2  # sentences in which a reply says what it comes to


def _begins(*forms: str, after: str = "") -> re.Pattern[str]:
    """One of these at the beginning, behind any of the words of `after`."""
    lead = rf"(?:(?:{after})\b[,.! ]+)*" if after else ""
    return regex(rf"(?i)\W*{lead}(?:{'|'.join(forms)})")


_NOT = r"(?:n't| not)"
_CORRECTS = regex(
    r"(?i)^\W*(?:no[,.! ]+(?!problem|worries)|nope\b|wrong\b|stop\b|wait\b|that'?s (?:not|wrong)|this is (?:not|wrong)"
    r"|not what\b|i (?:said|meant|asked|told you|didn'?t (?:ask|want))|why (?:did|do|are|have) you\b|you (?:forgot"
    r"|missed|broke|should (?:have|not)|didn'?t|did not|are (?:wrong|not))|don'?t\b|do not\b|undo\b|revert\b"
    r"|please (?:revert|undo|don'?t)|still (?:not|fail|broken|the same|doesn)|it (?:still|doesn'?t|does not|didn'?t"
    r"|is still)|that (?:didn'?t|doesn'?t|broke)|actually,? (?:no|don|i|we|let)|(?:but )?(?:it|this) (?:should"
    r"|must) (?:not|be)|instead\b)",
)
_THANKS = _begins(
    r"(?:many |a lot of )?thank|thx\b|ty\b|cheers\b|danke|merci|gracias|谢谢",
    r"(?:yay|great|awesome|excellent|nice|cool|sweet|amazing|brilliant|fantastic|wonderful)\b|perfect|love it",
    r"lgtm\b|looks (?:good|great|fine|right)|well done|good job|ship it|all good|exactly|很好|完美|可以了",
    r"(?:it |that )?works\b|that did (?:it|the trick)|that was it|that fixed it",
    r"that'?s (?:it|all|great|perfect|right|exactly)",
    after="ok(?:ay)?|yes|yep|yeah|ah|oh|wow|alright|all right|good|super",
)
_BUT = Phrases(r"\b(?:but|however|except|still|not|anyway|for (?:nothing|trying)|no thanks?)\b|n't\b")
_UNDOES = Phrases(
    r"\b(?:revert|undo|rollback|restore|discard|git (?:checkout|restore|reset))\b",
    r"\b(?:roll(?:ing)?|put|back|throw) (?:it |this |that |them |everything )?(?:back|out|away)\b",
    r"\btake (?:it|that|this) (?:back )?out\b|\bgo back to (?:the )?(?:previous|old|earlier|last)\b",
    r"\b(?:remove|delete|drop) (?:all )?(?:your|these|those) changes\b",
)
_REJECTS = Phrases(
    r"\bstill (?!need|have to|want|to do|work(?:s|ing)? |wait|ok|good|fine|open)",
    r"\b(?:fail(?:s|ed|ing)?|happen(?:s|ed)|crash(?:es|ed)) again\b|\bnothing (?:changed|happens|works)\b",
    r"\b(?:doesn|didn|isn|won|don|can)'?t (?:even )?(?:work|help|fix|compile|build|run|start|load|solve|do anything)\b",
    r"\b(?:does|did|is|will|do) not (?:work|help|fix|compile|build|run|start|solve)",
    r"\bnot (?:a fix|an? (?:solution|answer)|working|acceptable|good enough|fixed|solved|it|what i)\b",
    r"\beven (?:slower|worse)\b|\bwrong (?:file|one|place|branch|thing|way)\b|\bisn'?t what\b|\bbroken again\b",
    r"\b(?:worse|useless|unusable|nonsense|garbage|terrible|horrible)\b",
    r"\b(?:same|another) (?:error|failure|problem|crash|result)",
    r"\b(?:broke|breaks) (?:it|this|that|the|my|our|everything|something|all)\b",
    r"\b(?:is|are|was|now|all|totally|completely) broken\b",
    r"\b(?:this|that|it)(?:'?s| is| was) (?:all |completely |totally |just )?wrong\b",
    r"\byou (?:skipped|deleted|removed|ignored|broke|faked|cheated|hard-?coded)\b",
    r"\b(?:get|gets|got|see|throws?) (?:an? |the )?(?:\d{3}|error|exception|traceback)s?\b.*\bnow\b",
    r"\b(?:tests?|build|page|app|everything) (?:is |are )?"
    r"(?:fail(?:s|ing)?|blank|broken|crash(?:es|ing)?|red|gone|empty)(?: now)?\W*$",
)
_ASKS = _begins(r"(?:can|could|would|will|should|how|what|which|where) ")
_WONDERS = _begins(
    r"(?:why|what|how|is|are|do|does|can|could|should|which|where|who|when|explain|review|look|analy[sz]e|describe"
    r"|summari[sz]e|tell|compare)\b",
    after="please|hi|hey|ok(?:ay)?|so",
)
_ORDERS = _begins(r"(?:don'?t|do not|wait|stop|actually|instead|why|(?:it|this) (?:should|must))\b", after="please|but")
_GIVES_UP = _begins(
    r"never ?mind|scratch (?:that|it)|forget (?:it|about)|cancel\b|abort\b|whatever\b|brb\b|算了|不用了",
    r"stop\W*$|stop (?:here|there|it|this|that|now|for)|pause (?:here|this|it)",
    r"leave it\b|don'?t bother|not now\b|skip (?:it|this|that)(?:\W*$|[,.;])",
    r"(?:drop|scrap|park|shelve) (?:it|this|that)\b|let'?s (?:stop|leave|drop|not|do (?:it|this) (?:later|another))",
    r"i'?ll (?:do|handle|fix|finish|take)\b|(?:i(?:'ve| have)? )?changed my mind|we don'?t need (?:it|this)",
    after="ok(?:ay)?|actually|hm+|no|nah|sorry|ah|oh|wait|stop",
)
_LEAVES_OFF = Phrases(
    r"\bi give up\b|\b(?:do|fix|finish|write) (?:it|this|that) (?:myself|by hand)\b|\bpostpone\b",
    r"\bkeep it as it (?:is|was)\b",
    r"\b(?:not|isn't|don'?t) need(?:ed)? (?:it |this |that )?any ?more\b|\bno time (?:for|left|now)\b",
    r"\b(?:drop|park|shelve) (?:it|this|that)\b|\bleave it (?:as (?:it )?is|for now|there|like that|at that|alone)\b",
    r"(?:^|\bi(?:'ve)? )(?:have|need|got) to (?:go|leave|run)(?=\W*$|[,.;!])",
    r"\b(?:i(?:'ve)? (?:have|need|got) to|gotta|got to|i must) (?:go|leave|run|catch)"
    r"(?=\W*$|[,.;!]| to (?:a|my|the|pick)| out| now| home)",
    r"\b(?:continue|finish|resume|come back|do (?:it|this|that)|look at (?:it|this|that)|pick (?:it|this) up)"
    r" (?:\w+ ){0,2}(?:later|tomorrow|another (?:day|time)|next (?:week|time))\b",
)
_PUTS_OFF = Phrases(
    r"\b(?:tomorrow|next (?:week|sprint|month|time)|(?:an)?other day|good enough|enough for|for (?:today|now))\b",
    r"\b(?:the )?rest (?:is |are |comes? |can )?(?:later|wait)|\blater\W*$",
)
_LEAVES = regex(r"(?i)\W*(?:exit|quit|bye|goodbye|clear|logout|:q)\W*$")
_WORK = r"(?:fix|changes?|patch|commit|solution|attempt|refactor\w*|migration)"
_COMES_BACK = _begins(
    r"still\b|(?:it|this|that|the \w+(?: \w+)?)(?:'s| is| are)? still\b|you (?:broke|forgot|missed)",
    r"(?:please )?(?:revert|undo|roll back) (?:the |that|this|your|what|my|everything|all|it|last|yesterday)",
    r"same (?:problem|error|issue|bug|crash) (?:as|again)|the (?:bug|error|problem|issue|crash) is (?:back|still)",
    rf"(?:since|after) (?:your|the|that|yesterday'?s) (?:last |previous )?{_WORK}\b",
    rf"(?:your|the|that|this|yesterday'?s|my)(?: last| previous| recent| latest)? {_WORK}\b[^.!?\n]{{0,60}}"
    r"\b(?:did(?:n'?t| not)|does(?:n'?t| not)|broke|breaks|fail|wrong|not work|made|causes?)",
    r"(?:it|that|this) (?:did|does)(?:n'?t| not) (?:work|help|fix|survive)",
    r"(?:last time|yesterday|earlier|before) you\b",
    after="hi|hey|hello|so|ok(?:ay)?|sorry|hmm+|unfortunately|ugh|argh|well",
)

_CODE = regex(r"(?ms)```.*?(?:```|\Z)|`[^`\n]*`|^>[^\n]*$|\"[^\"\n]{0,200}\"|“[^”\n]{0,200}”")
_SENTENCE = regex(r"(?<=[.!?。！？])\s+|\n+")
_NODS = regex(
    r"(?i)\W*(?:ok(?:ay)?|sure|understood|sounds good|got it|noted|right|you'?re (?:right|welcome)|fair(?: enough)?"
    r"|no problem|will do|agreed|glad to help|sorry|apologies)\W*$",
)
_CANNOT = Phrases(
    rf"\b(?:could{_NOT}|can(?:'t|not| not)|(?:am|was|were|'m) (?:not able|unable)|(?:was|were)n't able|unable to"
    rf"|ha(?:ve|s|d){_NOT} (?:been able|managed|succeeded|found)|did{_NOT} (?:manage|succeed|find)|failed to)\b"
    r"(?!\s+(?:happen|occur|stress|recommend|(?:find|see) any (?:problem|issue|bug|other|more|further)"
    r"|be (?!done|fixed|solved|built|installed|reached|satisfied|completed|deployed|run\b|found|opened|merged)))",
    r"\b(?:not|isn't) (?:possible|feasible|achievable|fixable)\b|\bimpossible\b|\bno (?:way|means) to\b",
    rf"\b(?:do{_NOT} see|there(?:'s| is) no|know of no) (?:a |any )?way\b",
    r"\bstuck\b|\bblocked (?:by|on|because|until)\b|\bgiv(?:e|ing) up\b|\bgave up\b|\bno (?:success|luck)\b",
    r"\bout of ideas\b|\b(?:neither|none) of (?:them|these|those|it|the \w+) (?:works?|worked|helped)\b",
    r"\bnothing (?:works|worked|helped|was (?:published|changed|deployed|written|applied|sent|pushed|installed))\b",
    rf"\bdid{_NOT} (?:work|help|happen|come up|start|get (?:any )?(?:far|further)|go through|finish)\b",
    rf"\b(?:is|are){_NOT} (?:reachable|available|accessible|installed|accepting|responding|running|supported)\b",
    rf"\bdo(?:es)?{_NOT} exist\b|\bwon't (?:run|start|build|compile|work|connect)\b",
    r"\b(?:got|ma[dk]es? it) (?:worse|slower)\b",
    r"\bi(?:'ve| have)? (?:aborted|stopped|undid|took (?:it|that|them) back|rolled (?:it |that |everything )?back"
    r"|reverted (?:it|that|the change|my|everything|all))\b|\bfound (?:no (?:cause|reason|way)|nothing to)\b",
    r"\b(?:refuses?|rejects?|denies) (?:my|the|every|our) \w+|\baborts (?:at|with|because)\b",
    rf"\b(?:do{_NOT} have|have no|there is no|found no|no) (?:a |any )?(?:working |real |valid )?"
    r"(?:fix|solution|explanation|credentials|access|permission)\b",
    r"\b(?:request|upload|download|push|deploy(?:ment)?|install(?:ation)?|migration|release|login|connection|attempt"
    r"|approach|merge|import|export)s? (?:was |were |is |are |has |have |keeps? )?(?:been )?"
    r"(?:failed|failing|denied|refused|rejected|timed out)\b",
    r"\b(?:back to|as) (?:how|what|where) (?:it|they|things|we) (?:was|were)\b|无法|失败了|没能",
)
_ACHIEVED = r"(?:fixed|solved|resolved|working|completed?|finished|implemented|passing)"
_FAILS = Phrases(
    rf"\bstill (?:fail|broken|red|crash|error|not |does{_NOT}|return\w* (?:the )?(?:wrong|error)|time\w* out|hang"
    r"|reproduc|present|open|missing|happen|occur|wrong|flaky)",
    r"\b(?:tests?|builds?|suite|checks?|ci|lint\w*|it|this|that|compilation|pipeline|\w+port|rest|other \w+|last \w+)"
    r" (?:(?:is|are|keeps?) (?:still )?(?:failing|broken|red|flaky)|fails?|remains? (?:broken|red|flaky)"
    rf"|do(?:es)?{_NOT} (?:work|pass|compile|build))\b",
    r"\bfails?(?=:| (?:to|with|because|at|again|as before|for|on|in)\b)|\bkeeps? (?:failing|crashing|timing out)\b",
    r"(?<![\d.])\b[1-9]\d* (?:of \d+ )?(?:tests? |checks? )?(?:still )?(?:fail(?:s|ed|ing|ures?)?|errors?)\b"
    r"(?! (?:to|before|were|was))",
    rf"\bha(?:s|ve){_NOT} been \w+ed\b|\b(?:is|are|was|were|has|have){_NOT} (?:been )?{_ACHIEVED}\b",
    rf"\bno(?:t|ne of them) (?:yet )?{_ACHIEVED}\b|(?:n't|\bnot) \w+ yet\b",
    r"(?:—|–| -|:|\||❌|✗)\s*\**(?:failed|fails|skipped|not done)\b",
)
_SOME = r"(?:\d+|one|two|three|four|five|six|some|most|half|part)"
_OPEN = Phrases(
    r"\bnot (?:yet|done|tested|verified|included|covered|attempted|started|run)\b|\bun(?:verified|tested|finished)\b",
    rf"\b(?:have|has|did|was|were|is|are){_NOT} (?:yet |been |yet been )?"
    r"(?:test|verif|run\b|ran\b|start|attempt|finish|complet|deploy|implement|done|migrat|cover)",
    r"\bremains?\W{0,3}$|\bexcept (?:the|for|that|one)\b|\beverything but\b|\bstill to come\b",
    r"\b\d{1,6} out of \d{1,6}\b|\b\d{1,6} of them\b",
    r"\bleft (?:it|that|them|this) (?:alone|as|on|out|unchanged)\b|\bruns? out of\b|\bnot the \d{1,6}\b",
    r"\bremain(?:s|ing)? (?:to be |work|tasks?|items?|steps?|part|open|undone|failing|unfinished)",
    r"\bleft (?:to do|undone|open|over|out|unfinished)|\b(?:stays?|remains?|(?:is|are) still) (?:open|out|undone)\b",
    r"\b(?:is|are|stays?|remains?) (?:still )?(?:incomplete|unfinished|pending|outstanding|unresolved|missing)\b",
    r"\bstill (?:to do|to be done|needs?|outstanding|pending|missing|open|have to|uses?)\b|\bpartial(?:ly)?\b",
    rf"\b{_SOME} of (?:the )?(?:\d{{1,6}}|two|three|four|five|six|seven|eight|nine|ten)\b|\bhalf (?:of|done|way)\b",
    r"\b(?:others?|rest|second|third|last|remaining) (?:\w+ ){0,2}(?:needs?|waits?|depends?|requires?|ha(?:s|ve) to)\b",
    r"\bonly (?:the )?(?:first|half|part|some)\b|\b(?:ha(?:s|ve)|needs?) to wait\b|\b(?:ran out of|todo|incomplete)\b",
    r"\b(?:i|was|were|is|are|been) skipped\b|\bskipped (?:because|for now|this|that|it)\b",
    r"(?:n't|\bnot) [^.!?]{1,80} yet\b",
    r"\bstopped (?:here|there|short|before|after)\b|未完成|尚未|还没",
    r"^\W{0,4}(?:open|still open|left|remaining|todo|missing|not done|unsolved)\W{0,3}:",
)
_ASIDE = Phrases(
    r"\b(?:no longer|used to|previously|earlier|originally|before (?:the|my|this|that|these)|w(?:as|ere) failing)\b",
    r"\b(?:without (?:the|my|this|it)|would(?:n't)?|if|unless|whether|so that|instead of|rather than)\b",
    r"\b(?:pre-?existing|unrelated|not related|already (?:failing|broken|failed)|on main|root cause|flak(?:y|es?))\b",
    r"\b(?:expected|as (?:requested|asked|you asked|instructed)|by design|intentional\w*|on purpose|optional\w*)\b",
    r"\b(?:per your|you asked|out of scope|now (?:pass|work|return|succeed|handle|correct)\w*)\b",
    r"\b(?:ensures?|prevents?|avoids?|guards?|rejects?|rejecting|rais(?:es?|ing))\b",
)
_UNDONE = regex(
    r"(?i)(?:\bnot|n't|\b(?:nothing|never|neither|none)(?: of \w+)?)(?: yet| was| is| are)?(?: be(?:en)?)? \w+",
)
_DONE = Phrases(
    r"(?:^|[\s*#>✅✔-])(?:all )?(?:\d+ pass(?:ed|ing)|pass(?:es)?|works|in place|done|fixed|finished|completed?"
    r"|implemented|added|created|updated|removed|renamed|committed|pushed|merged|resolved|solved|wrote|written|moved|replaced"
    r"|installed|deployed|released|published|opened|closed|refactored|migrated|applied)\b",
    r"(?:^|\bi |\bi've |\bi have )(?!(?:tried|failed|attempted|aborted|reverted|rolled|needed|blocked|stopped|skipped"
    r"|looked|checked|searched|reached) )[a-z]{1,20}ed \w",
    r"\b(?:everything|all (?:\w+ )?(?:tests?|checks?)) (?:now )?(?:pass|works?|green)|\bsuccessful(?:ly)?\b|✅|完成|已",
)
_NEEDS = Phrases(
    r"\bplease (?:provide|confirm|share|paste|tell|clarify|specify|let me know (?:which|what|how|where))\b",
    r"\b(?:could|can) you (?:please )?(?:clarify|provide|share|confirm|tell|paste|specify|point)\b",
    r"\bi (?:need|would need|require) (?:you|your|more|the|some|access|a )|\b(?:waiting for|awaiting) your\b",
    r"\bwhich (?:one|of|file|option|approach|version|repo\w*|project|branch)\b[^.]*\?",
    r"\b(?:what (?:would you like|do you want|should i|is the)|do you have|where (?:is|are|can i find))\b[^.]*\?",
    r"\bbefore i (?:start|proceed|continue|begin|implement|go|make)\b",
)
_INTENDS = _begins(
    r"let me (?!know)|let's |i'?ll |i will |i(?:'m| am) (?:now )?(?:going|about|\w+ing)\b|now (?:i|let|to)\b",
    after="ok(?:ay)?|now|next|first|then|good|great|perfect|alright|so",
)
_OWN = Phrases(r"\b(?:i|i'm|i've|i'd|we|my)\b")


class TaskReport(NamedTuple):
    """What a reply of an agent says of the task."""

    is_done: bool = False  # that something was done
    cannot: bool = False  # before anything else: that it could not be done, or does not work
    left_open: bool = False  # anywhere: that a part fails, was not done or was not verified
    admits: bool = False  # the same, of the agent itself: what a review finds in others' work is its result
    needs_answer: bool = False  # that it cannot go on without one
    is_intent: bool = False  # at its end: what comes next


def read_report(reply: str) -> TaskReport:
    sentences = _sentences(reply)
    telling = [sentence for sentence in sentences if not _ASIDE.are_in(sentence)]
    bad = [sentence for sentence in telling if _CANNOT.are_in(sentence) or _FAILS.are_in(sentence)]
    lacking = [sentence for sentence in telling if sentence in bad or _OPEN.are_in(sentence)]
    lead = next((sentence for sentence in sentences[:_LEAD] if sentence in bad or _is_done(sentence)), "")
    return TaskReport(
        is_done=any(_is_done(sentence) for sentence in sentences),
        cannot=lead in bad and not _is_done(lead),
        left_open=bool(lacking),
        admits=any(_OWN.are_in(sentence) for sentence in lacking),
        needs_answer=any(_NEEDS.are_in(sentence) for sentence in sentences[-3:]),
        is_intent=bool(sentences) and bool(_INTENDS.match(sentences[-1])),
    )


def _sentences(text: str) -> list[str]:
    plain = _CODE.sub(" ", text.replace("’", "'").replace("*", ""))
    split = (sentence.strip() for sentence in _SENTENCE.split(plain))
    return [sentence for sentence in split if sentence.strip(" -*#|>.:") and not _NODS.match(sentence)]


def _is_done(sentence: str) -> bool:
    return _DONE.are_in(_UNDONE.sub(" ", sentence))


def _first_words(prompt: str) -> str:
    return prompt.strip()[:_SHORT].replace("’", "'")


def is_correction(prompt: str) -> bool:
    return bool(_CORRECTS.match(prompt.strip()[:_SHORT]))


def is_thanks(prompt: str) -> bool:
    text = prompt.strip()
    return len(text) <= _SHORT and bool(_THANKS.match(text)) and not _BUT.are_in(text)


def is_undoing(prompt: str) -> bool:
    """That what was done is to be taken back."""
    return _UNDOES.are_in(_first_words(prompt))


def is_refusal(prompt: str) -> bool:
    """Any objection: that it does not work, is to be taken back, or is not what was wanted."""
    text = _first_words(prompt)
    is_rejection = len(prompt) <= _LONG and _REJECTS.are_in(text) and not _ASKS.match(text)
    return is_rejection or is_undoing(prompt) or (is_correction(prompt) and not _ORDERS.match(text))


def is_giving_up(prompt: str) -> bool:
    text = _first_words(prompt)
    return bool(_GIVES_UP.match(text) or _LEAVES_OFF.are_in(text))


def is_putting_off(prompt: str) -> bool:
    """That something is left for another day."""
    return _PUTS_OFF.are_in(_first_words(prompt))


def is_coming_back(prompt: str) -> bool:
    """Whether a session begins with a complaint about what was done before it."""
    return bool(_COMES_BACK.match(prompt.replace("’", "'")))


def is_question(prompt: str) -> bool:
    """Whether a prompt wants an answer, or a look at something, and no change."""
    return prompt.rstrip().endswith("?") or bool(_WONDERS.match(prompt))


def is_leaving(prompt: str) -> bool:
    """A word to the program, not to the agent."""
    return bool(_LEAVES.match(prompt))
