"""What speaks for a standing word of a user: forms of clauses, each with its weight.

A clause comes in lower case, without what opens a talk ("ok, also"), with `x` in the place of code and ‹quoted› in that
of a quotation. The forms are about grammar and about a few circles of words (kinds of things that programmers make, how
work is organised, what an agent hands in), so that they hold in any project. Their weights were set by hand, in
halves. What speaks against a standing word is in `passing_features`, what its words count in `standing_weights.toml`.
"""

import re
from typing import NamedTuple

from afterwit.text.patterns import regex


class ClauseFeature(NamedTuple):
    """A form of clauses, and what it counts."""

    name: str
    weight: float
    form: re.Pattern[str]


def clause_feature(name: str, weight: float, *forms: str) -> ClauseFeature:
    return ClauseFeature(name, weight, regex("|".join(forms)))


_VERBS = (
    r"(?:add|ask|assume|avoid|branch|bring|build|bump|call|change|check|clean|comment|commit|confirm|copy|create"
    r"|declare"
    r"|default|delete|deploy|describe|do|document|double-check|drop|edit|explain|export|fetch|finish|fix|flag|follow"
    r"|force|format|generate|get|give|go|guess|handle|hardcode|ignore|import|include|install|introduce|invent|keep"
    r"|leave|link|lint|list|load|log|look|make|mention|merge|migrate|mock|modify|move|name|open|pass|pin|pick|prefer"
    r"|prefix|print|propose|publish|pull|push|put|quote|read|rebase|refactor|regenerate|release|remove|rename|reply"
    r"|report|respond|restart|return|reuse|run|save|send|set|ship|show|sign|skip|sort|speak|split|squash|start|stash"
    r"|stay|stick|stop|store|strip|summari[sz]e|suppress|tag|take|talk|target|tell|test|touch|treat|trust|try|type"
    r"|update|upgrade|use|verify|wait|wrap|write)"
)
_KINDS = (
    r"(?:commits?|commit messages?|prs?|pull requests?|branch(?:es)?|tests?|migrations?|comments?|docs|docstrings?"
    r"|functions?|methods?|modules?|files?|variables?|names|identifiers|endpoints?|components?|dependenc\w+|packages?"
    r"|librar\w+|imports?|secrets?|keys|tokens?|credentials|logs|log (?:lines|messages)|exceptions|scripts?|configs?"
    r"|queries|tables|columns|schemas?|strings?|dates?|times|timestamps|units|ids|changes|releases?|deploys?"
    r"|deployments|images|containers|tickets?|reviews|code|types|interfaces|headers|firmware|builds?|shaders?"
    r"|assets|textures|notebooks|figures?|plots?|datasets?|experiments|playbooks|charts|manifests|hosts"
    r"|servers|machines|flags|refactors?|changelogs?|readmes?|numbers|prices|amounts|money|translations|services?"
    r"|classes|helpers|wrappers|hacks|workarounds|emojis?|abbreviations|globals|singletons|warnings|exports|mocks"
    r"|todos?"
    r"|downloads?|jobs|diffs?|polyfills|patches|repo\w*|projects?)"
)
_WORK = (
    r"(?:ci|reviews?|reviewers?|releases?|deploys?|deployments?|lint(?:er)?|prod(?:uction)?|staging|vault|changelog"
    r"|prs?"
    r"|legal|auditors?|compliance|on[- ]call|team|licen[cs]e|vendor|cluster|proxy|firewall|token|credentials"
    r"|branch protection|lockfile|dependenc(?:y|ies)|migrations?|time ?zone|machine|laptop|box|gpu|codebase"
    r"|repo(?:sitory)?|monorepo|merges?|commits?|upstream|downstream|runbooks?|wiki|on-prem|contracts?|customers"
    r"|budget"
    r"|approvals?|nightly|maintainers?|platform|target|hardware|supervisor|outages?|legacy|wire format|api key|storage"
    r"|toolchain|compiler|runtime|registry|artifact\w*|secrets?|backups?|cert\w*|infra|ops|security|privacy|gdpr"
    r"|standard|style|spelling|naming|schema|units?|docs)"
)
_HABITS = (
    r"(?:use|do|run|keep|write|name|put|store|tag|pin|ship|deploy|release|support|target|follow|avoid|stick|prefer"
    r"|like|mock"
    r"|commit|push|merge|squash|rebase|log|import|test|build|format|lint|call (?:it|them|our|these|those|every)|treat"
    r"|measure"
    r"|go (?:through|with|by|via)|host|track|version|publish|sign|review|spell|speak|address|bump|cut|freeze|require"
    r"|expect"
    r"|insist|work|consider|define|document|reserve|rely|generate|vendor|encrypt|escape|seed|cache|partition|backport"
    r"|convert"
    r"|own|maintain|pay|bill|serve|hand|talk|reply|answer|trust|respect|ban|allow|accept|hold|aim|verify|validate|care"
    r"|pair|plan|estimate|ask|buy|read|print|type|round|count|sort|index|model|render|train|evaluate|annotate|label"
    r"|flash"
    r"|ignore|leave|patch|mirror|rotate|audit|monitor|alert|page|translate|never|always|only|strictly|exclusively)"
)
FOR = (
    clause_feature(
        "holds from now on",
        3.5,
        r"\bfrom (?:now|here|today|this point|this day|then) (?:on|onwards?|out|forward|in)\b|\bfrom today\b",
        r"\b(?:going|moving) forwards?\b|\bhenceforth\b|\bin (?:the )?future\b(?! (?:release|version|pr)\b)"
        r"|\bfor all future\b|\bfor next time\b|\bnext time you\b|\bfor the future\b"
        r"|\bfuture (?:sessions|tasks|work|prs|changes)\b|\b(?:the )?ones to come\b|\bnow or later\b"
        r"|\bnow and later\b",
        r"\bonce and for all\b|\buntil (?:further notice|i (?:say|tell you) (?:otherwise|so))\b|\bever again\b"
        r"|\bas of (?:now|today)\b|\bstarting (?:now|today)\b|^no more (?!errors|warnings|failures)|\b(?:don'?t"
        r"|do not|not|no|never)\b[^.]{1,60}"
        r"\b(?:any ?more|any longer)\b|\bevery single time you\b|\bpermanently\b|\bfor good\b|\bany time soon\b",
    ),
    clause_feature(
        "is to be remembered",
        3.0,
        r"^remember\b(?! (?:when|how|the|last|we|this|me|what|where|to)\b)(?! that (?:time|bug|one)\b)",
        r"\b(?:keep|bear) (?:it |this |that )?in mind\b"
        r"|\b(?:make|take) (?:a )?(?:mental )?note\b|\bfor the record\b|\bjust so you know\b|^for future reference\b"
        r"|\bmemori[sz]e\b|\bnote for (?:later|next|the future|future)\b|\b(?:in|to) your memory\b"
        r"|\b(?:to|should|must|need to|always|please) remember that\b",
    ),
    clause_feature(
        "is not to be forgotten",
        0.5,
        r"^remember to\b|\b(?:don'?t|dont|do not|never) forget (?:to"
        r"|that)\b",
    ),
    clause_feature(
        "calls itself a rule",
        2.5,
        r"\b(?:house|ground|golden|team|hard|general|standing|iron|my|our|new) (?:rules?|polic(?:y|ies)"
        r"|conventions?|customs?|standards?)\b|\bas a (?:general )?rule\b|\brule of thumb\b|\bby convention\b"
        r"|\b(?:the|our) (?:rule|policy|convention|practice|agreement|deal|workflow|philosophy) (?:here |now )?"
        r"(?:is|for)\b|^(?:rule|policy|convention|preference|guideline)s?\s*:|\bpolicy\b.{0,40}\bis\b"
        r"|\bis (?:our|the) (?:standard|convention|policy|rule|default|house style)\b|\bnon-?negotiable\b"
        r"|\bour (?:house )?style\b|\bstanding (?:order|instruction|request)\b|\bas a matter of\b|\bby policy\b"
        r"|\b(?:full stop|period|end of story|no exceptions?|no discussion)\W*$|\bup for (?:debate|discussion)\b"
        r"|\bthat'?s (?:the (?:split|deal|rule|policy|way)|how we)\b|\bapplies to (?:all|every|any|whatever"
        r"|everything)\b"
        r"|\bsame (?:goes )?for (?:all|every|any|each|the other|both)\b|\bwhole codebase\b",
    ),
    clause_feature(
        "always or never do",
        2.5,
        rf"(?:^|[,;:(]\s*|\b(?:please|and|but|so|then|should|must|shall|to|you|we|i|do|will|'ll|just)\s+)"
        rf"(?:always|never(?: ever)?)\s+{_VERBS}\b",
        r"^(?:always|never(?: ever)?) (?!(?:mind|good|nice|great|helpful|knew|wanted|been|seen|saw|got|had|was|were"
        r"|going|again|a|an|the|in"
        r"|be able|true|false|null|empty|works?|fails?|return)\b)(?!\w+(?<!s)s\b)(?!\w{3,}ed\b)[a-z]{2,}",
        rf"\b{_VERBS}\b.{{1,60}}\b(?:always|every time|without exception|no matter what)\W*$"
        r"|\b(?:do not|don'?t) ever\b|\b(?:must|should) (?:always|never)\b|\bunder no circumstances\b"
        r"|\bat all times\b|\bunless (?:i|told|asked|explicitly|otherwise)\b|\beven (?:if|when|for) (?:it|they|you"
        r"|tiny"
        r"|small|a|the)\b|\b(?:think twice|whenever you like)\b",
    ),
    clause_feature(
        "a habit of ours",
        2.0,
        rf"(?<!do )(?<!did )(?<!should )(?<!can )(?<!if )(?<!how )(?<!why )(?<!what )(?<!when )(?<!whether )\b(?:we"
        rf"|the team|everyone|everybody|nobody|no one) (?:all |both |here |only |just |also |still |strictly "
        rf"|usually )?{_HABITS}\b",
        rf"\bwe (?:don'?t|do not|dont|won'?t) (?:ever )?(?:{_HABITS}|have|touch|add|want)\b",
        r"\bwe(?:'re| are) (?:a|an|all|on|gpl|mit|open source|\w+ people|in)\b|\bwe(?:'re| are) (?:strictly|stuck"
        r"|still|switching|moving|dropping|phasing)\b"
        r"|\bwe(?:'ve| have)? (?:standardi[sz]ed|settled|agreed|decided|switched|moved|dropped|banned|retired"
        r"|a rule|a policy|a convention|stopped|abandoned|migrated)\b",
    ),
    clause_feature(
        "what we do",
        1.0,
        r"(?:^|, |\b(?:here|and|because|since|as) )we (?!(?:need|should|want|can|could|have|might|may|will|would|must"
        r"|gotta|got|get|see"
        r"|had|did|saw|made|were|was|are|been|just|already|currently|know|think|thought|ran|found|lost|broke|forgot"
        r"|still|also)\b)"
        r"(?!\w{2,}ed\b)[a-z]{3,}\b",
    ),
    clause_feature("ours", 0.5, r"\b(?:our|ours|us)\b"),
    clause_feature(
        "what happens to such things",
        1.5,
        r"\b(?:get|gets) (?!me\b|the\b|it\b|a\b)\w+(?:ed|en|pped|d)\b|\b(?:is|are) (?:rejected|flagged|blocked"
        r"|licensed|limited|wiped|signed"
        r"|synced|immutable|append-only|offline|linear|versioned|fixed at|ancient|picky|mandatory|out of the question"
        r"|part of the"
        r"|the law|off the table|on (?:its|their) way out|perf(?:ormance)? critical|forward only|here to stay)\b",
        r"\b(?:isn'?t|aren'?t|not) negotiable\b|\bor (?:it|they|the \w+) (?:doesn'?t|don'?t|closes?|won'?t|gets?"
        r"|rejects?)\b",
    ),
    clause_feature(
        "what follows from it",
        1.0,
        r",? so (?:please |there'?s |we |you |just )?(?:no\b|don'?t|do not|never|keep|use|check|mock|run|everything"
        r"|nothing|anything"
        r"|whatever|treat|assume|leave|explain|give|\w+s (?:have to|must|need|are|get|go)\b)",
    ),
    clause_feature(
        "how to go about things",
        1.5,
        r"^(?:treat|assume|feel free|in doubt|when in doubt|err on|stick (?:to|with)|only use|default to|favou?r"
        r"|think of|mind the|aim for"
        r"|always assume|expect)\b|\brule number (?:one|1)\b|\b(?:can'?t|cannot|won'?t) (?:use|have|rely on"
        r"|pip install|install)\b",
    ),
    clause_feature(
        "a limit",
        1.0,
        r"\b(?:max|tops|at most|no (?:newer|older|longer|bigger|more) than|nothing (?:newer|older|bigger|over)"
        r"|or later|and later)\b",
    ),
    clause_feature(
        "use such a thing",
        1.0,
        r"^use (?!whatever\b|the\b|a\b|an\b|this\b|that\b|it\b|both\b|one\b|your\b|\d|same\b|these\b"
        r"|those\b)\S+(?: \S+){0,4}(?:$|[.,;]| for \w+s?\b| in \w+)",
    ),
    clause_feature(
        "several things not", 1.5, r"\bno \w+(?: \w+){0,3}, (?:and )?no \w+|\bnot \w+(?: \w+){0,2},? (?:and )?not \w+"
    ),
    clause_feature(
        "only some may",
        1.5,
        r"\b(?:only|nobody but|no one but) (?!the (?:first|last|one|second)|this|do|need"
        r"|with)(?!you\b)[\w ]{1,30} (?:can|may|writes?|approves?|merges?|pushes|deploys?|touch\w*)\b",
    ),
    clause_feature(
        "the user's own part",
        1.5,
        r"\bi(?:'m| am) (?:\w+ )?(?:colou?r ?blind|dyslexic|deaf|left-handed|a|an|the one|in)\b(?! (?:bit|little)\b)",
        r"\bmy (?:\w+ )?(?:phone|time ?zone|students|eyes|screen reader|keyboard|setup|machine|laptop|team|group|boss"
        r"|company|employer)\b",
        r"\bi (?:only |always )?(?:have only|only have|don'?t do|never want|bisect|work in|handle|do the|read|skim"
        r"|review|deploy|push|merge|apply|release|squash|sign|approve|write|tag|handle|own)\b"
        r"|\b(?:is|are) mine\b|\bfor me (?:\S+ )?means\b",
    ),
    clause_feature(
        "what the agent may",
        2.0,
        r"(?:^|[,;:.] ?|\b(?:and|but|so) )you (?:only|may|can (?:always|generally|usually|freely|safely|push|commit"
        r"|assume|use)"
        r"|are (?:not )?(?:allowed|free|welcome)|have (?:no|only|read|write|full)|don'?t (?!need|have to|understand"
        r"|get|know|seem|see)\w+"
        r"|do not (?!need|have to|understand|get|know)\w+|never (?!\w+ed\b|ran\b|did\b|said\b)\w+|plan|kill nothing"
        r"|touch nothing)\b",
        r"\bon your own\b|\byour (?:job|part|place|call)\b",
    ),
    clause_feature(
        "here, as we do it",
        1.0,
        r"\b(?:in|for|across|on|at|of) (?:this|our|my|all (?:of )?(?:my|our|the)?|every|any) ?(?:whole |entire )?"
        r"(?:repo|repository|repositories|repos|projects?|codebase|code base|monorepo|team|org|company|shop|target"
        r"|product|house|workspace|stack|fork|account|cluster|machine|box|laptop|lab|group|platform|board|device"
        r"|paper)\b",
        r"(?<!over )(?<!out )(?<!go )(?<!from )(?<!right )\bhere(?:\W*$|,)|\baround here\b|\bhere (?:we|always|never"
        r"|follow|are|use|is)\b"
        r"|\beverywhere\b|\banywhere\b|\bnowhere\b|\bacross the board\b|^(?:this|the) (?:repo|project|codebase"
        r"|monorepo)"
        r" (?:is|uses|has|follows|targets|runs)\b|\b(?:this is|we'?re|we are) an? \w+ (?:shop|house|repo|project"
        r"|team)\b",
    ),
    clause_feature(
        "one and not the other",
        1.0,
        r", (?:not|no|never) \w+|\b(?:instead of|rather than|in favou?r of)\b|\b\w{1,30} over \w{1,30}\W{0,5}$"
        r"|\bnothing but\b"
        r"|\bbut only\b|\bonly (?:where|if|when|at|in|on|for)\b|^\w[\w ]{2,29} only\b|\bonly,|\bonly\W*$|\bexcept\b",
    ),
    clause_feature(
        "what the user likes",
        2.0,
        r"\bi (?:really |much |generally |usually |always |strongly )?(?:prefer|like|dislike|hate|want you to always"
        r"|expect you to|want (?:all|every|each|any|no)|want to be asked|can'?t stand|don'?t (?:like|want (?:you|any"
        r"|to"
        r" (?:see|hear|read))|ever))\b(?! (?:it|that|this|the|option|your|how|how you|to (?:see|add))\b)",
        r"\bi'?d (?:rather|prefer)(?! we\b| not\b)|\bi(?:'m| am) (?:allergic|not a fan)\b|\bmy preference\b"
        r"|\bdrives me (?:crazy|nuts|mad)\b|\bspare me\b|\bi (?:want|need|expect) you to\b.{2,80}\b(?:whenever|every"
        r"|each"
        r"|always|any)\b",
        r"^(?:strongly )?prefer (?!the\b|option\b)\w+",
    ),
    clause_feature(
        "for all of a kind",
        1.5,
        r"\b(?:all|every|each|any|no) (?:new |of (?:the|our|my) |our |my |single |other |non-\w+ |public )?"
        rf"(?:[\w`/-]+ ){{0,1}}?{_KINDS}\b",
        r"\b(?:before|after|with|on|for|in) (?:every|each|any)\b|\b(?:one|two|\d) [\w ]{2,20} per \w+|\bper (?:pr"
        r"|commit|test"
        r"|file|line|module|function|class|release|table|service)\b|^new \w+ (?:is|are|goes?|gets?|in)\b"
        r"|\bfor new \w+",
    ),
    clause_feature(
        "whatever it is",
        1.0,
        r"\b(?:anything|everything) (?:that|which|touching|under|in|on|you|we|above|below|outside|else)\b"
        r"|\bnothing (?:in|on|may|you"
        r"|gets|goes|newer|but|lands)\b|\b(?:whatever|anyone|anybody|wherever) (?:you|we|touches|who|it)\b"
        r"|\bfor anything\b"
        r"|\binstall anything\b",
    ),
    clause_feature(
        "whenever it comes up",
        2.0,
        r"\b(?:whenever|every time|each time|any ?time) (?:you|we|there|a|an|something|someone)\b",
        r"^(?:[\w ]{0,30}, )?(?:if|when) (?:you(?:'re| are)? (?!want|can|think|need specific|agree|look|see (?:the"
        r"|this|that)|open|click)"
        r"|an? |any |in doubt|unsure|something|someone|there'?s an? )(?!.{0,40}\b(?:this|that|these|those)\b).{3,80},",
        r"\b(?:before|after|when) (?:committing|pushing|merging|editing|adding|touching|changing|releasing"
        r"|deploying|opening (?:a|any)|creating (?:a|any)|you (?:commit|push|merge|edit|touch|open a|install|add|call"
        r"|change|deploy|delete|rename|write|release|publish))\b(?! (?:this|that|these|those|it|yet)\b)",
        r"\bat the (?:end|start|beginning) of (?:a|an|each|every|any)\b",
    ),
    clause_feature(
        "asks to be asked",
        1.5,
        r"\b(?:ask|check with|ping|warn|consult) (?:me |us |first )?(?:before|first|whenever)\b|\bwithout (?:asking"
        r"|my (?:ok|okay|approval|say)|checking|permission|approval|a ticket)\b|\bto be asked\b",
    ),
    clause_feature(
        "a duty of things",
        1.0,
        r"\b(?:off[- ]limits|not allowed|allowed to|forbidden|banned|verboten|a no-?go|hands off|mandatory|required"
        r"|not permitted|must not|may not|may touch|(?<!i )must|has to|(?<!i )have to|needs? (?:a|an|two|the|docker"
        r"|approval)"
        r"|belongs?|gets? (?:a|an|rejected|killed|overwritten|written|deleted|reviewed|dropped|wiped)"
        r"|(?:doesn'?t|don'?t) go|goes? (?:in|into|to|through|under|upstream|via|away)|comes? with|fails our"
        r"|reserved for)\b",
    ),
    clause_feature(
        "do not",
        1.0,
        r"^(?:don'?t|do not|dont|never|avoid|refrain from|no need (?:to|for)) (?!forget\b|in\b|mock me)\w+"
        rf"|[,.;:] ?(?:so |and |but |please |pls )?(?:don'?t|do not|dont|no need) \w+|\b(?:so|and|pls"
        rf"|please) (?:don'?t|do not|dont) {_VERBS}\b",
    ),
    clause_feature(
        "no such thing",
        2.0,
        r"^(?:no|zero) (?!idea|problem|worries|need|way|wonder|thanks|longer|luck|matter|rush|more\b|changes?\b|it"
        r"|that|i\b"
        r"|we\b|you\b|this\b|but\b|not\b|just\b|the\b|use\b|don|please)(?:[\w'-]+ ){0,3}?(?:in|on|for|from|without"
        r"|near"
        r"|anywhere|outside|inside|to|,|please)\b|^no (?:[\w-]+ )?(?:heap|emojis?|apologies|mocks|globals"
        r"|abbreviations"
        r"|new (?:dependenc\w+|deps|packages|libraries))\b",
    ),
    clause_feature(
        "how the place is",
        1.5,
        r"\b(?:source of truth|read-?only|on purpose|by design|intentional(?:ly)?|deliberate(?:ly)?|(?:is"
        r"|are) generated"
        r"|auto-?generated|deprecated|owned by|owns the|maintained by|frozen|abandonware|dead|end of life|eol"
        r"|(?:is|are) pinned|lives? (?:in|at|on|under)|sits in|(?:is|are) (?:kept|stored|located|shared|gone|pointless"
        r"|plenty|checked in|built|written in|third[- ]party)|only works? (?:on|with|in|if|when)|stays? (?:around"
        r"|under"
        r"|english|in|as|below)|is the (?:only|live|reference|real|one that|one we|source|main|place|boss|canonical)"
        r"|(?:is|are) (?:where|what|who|how|why) \w+|'s how|(?:is|are) (?:always )?(?:fine|ok|okay) (?:in|for|with|to"
        r"|on)"
        r"|(?:is|are) fine\W*$|has nothing|have nothing|costs (?:us|me|money|a)|pays? per|only runs? on|runs? (?:at"
        r"|on)"
        r"|happens? automatically|(?:is|are) behind|no access|can'?t reach|expires? every|relies on|talks? to|follows?"
        r"|reports? in|converts? at|(?:is|are) (?:in|at|on|under) (?:[\w`~./-]*[/~.][\w`~./-]*|`x`|the \w+ vault"
        r"|vault))",
        r"\bmeans (?!i\b|we\b|you\b|it\b|that\b|this\b)\w+",
    ),
    clause_feature("how work is organised", 0.5, rf"\b{_WORK}\b"),
    clause_feature(
        "generic subject",
        0.5,
        r"^(?:new |all |our |public |internal |shell |feature |test |api |\w+ing )?(?!(?:is|was|has|does|yes|this|us"
        r"|thus|plus|always|sometimes|perhaps"
        r"|looks|seems|needs|lets|thanks|makes|works|sounds|gets|its|pass|focus|unless|across|as|these|those|users"
        r"|players|rows|shows)\b)"
        r"[a-z-]{3,}(?<!s)s (?:that \w+ |without (?:\w+ ){1,4}|in (?:\w+ ){1,3}|from (?:\w+ ){1,2}|on (?:\w+ ){1,3}"
        r"|for (?:\w+ ){1,4}|older than (?:\w+ ){1,2})?"
        r"(?!fail|crash|break|keep|are (?:broken|missing|empty|blurry|red|wrong|shown|stuck|outdated|processed)|of"
        r"|and|or|to|by|the|a|an|as|i|we|you|it)"
        r"(?:[a-z]+)\b",
        r"^(?!(?:is|was|has|does|yes|this|its|it's|let's|there|these|those|looks|seems|needs|tests|makes|works|thanks"
        r"|always|us"
        r"|focus|unless|pass|access|process|across|as|plus|gets|shows|sometimes|perhaps|besides)\b)"
        r"(?:[\w'`/-]+ ){0,2}?[\w`/-]{3,}s (?:(?:in|under|on|for|from|with|of|here|opened|above"
        r"|that) (?:[\w`'/-]+ ){0,4}?)?"
        r"(?:are|get|go|live|stay|follow|talk|need|have|belong|use|take|happen|wait|come|only|must|should|run|read"
        r"|report|end|start"
        r"|always|never|don'?t)\b",
        r"^(?:[\w./-]+/|[\w-]+) (?:is|are|stays?|gets?|for|reviews?|needs?|goes|runs?) (?!not\b|wrong|broken|failing"
        r"|missing|red|down|slow)",
        r"^[\w-]{2,20}(?: [\w-]{2,20}){0,2}: [a-z0-9]",
        r"^an? [\w` -]{3,60}? (?:takes|needs|gets|has|fails|goes|must|should|is|doesn'?t)\b",
    ),
    clause_feature(
        "what people like us make",
        0.5,
        rf"^(?:all |every |each |any |no |new |our |the |public |a |an )?(?:[\w`-]+ )?{_KINDS}\b",
    ),
    clause_feature(
        "what the agent hands in",
        1.5,
        r"\b(?:summar(?:y|ies)|estimates?|explanations?|repl(?:y|ies)|answers?|essays?|apologi\w+|emojis?"
        r"|bullet points?"
        r"|paragraphs?|variable names|commit messages?|messages to me|comments|what you (?:changed|did|tried)"
        r"|full story|tl;?dr|status updates?|reports to me|the why|snippets|suggestions|disclaimers|praise"
        r"|walls? of text)\b",
        r"\b(?:answer|reply|respond|talk|speak|write|antworte\w*|schreib\w*|r[eé]ponds?|responde|chat)\b.{0,30}"
        r"\b(?:in|auf|en) (?:english|german|french|spanish|polish|dutch|italian|portuguese|russian|japanese|chinese"
        r"|deutsch"
        r"|englisch|fran[cç]ais|espa[nñ]ol|my language|plain)\b",
    ),
    clause_feature(
        "the reason",
        0.5,
        r"\b(?:because|since|otherwise|so that|that'?s why|or (?:else|it|the|they|we)|reason being|the reason)\b"
        r"|, so\b|\bso (?:don'?t|do not|no|keep|use|it'?s)\b",
    ),
)
