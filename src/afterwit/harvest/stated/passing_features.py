"""What speaks against a standing word of a user: forms of clauses, each with its weight, as in `standing_features`.

Questions, doubts, other people's words, the past, what only the listener of that day could see, what the software does
or should do, and orders of the moment.
"""

from afterwit.harvest.stated.standing_features import clause_feature

OF_THE_SENTENCE = frozenset(
    (
        "a question",
        "begins like a question",
        "a doubt",
        "words of others",
        "what the software does",
        "the past",
        "a way of speaking",
    )
)
"""What speaks against every clause of a sentence, wherever it stands in it."""
AGAINST = (
    clause_feature("a question", -5.0, r"\b(?:wouldn't it|isn't it|shouldn't we|couldn't we|or what)\b", r"\?\W*$"),
    clause_feature(
        "begins like a question",
        -3.0,
        r"^what (?:other|else|would|should)\b",
        r"^(?:why|how (?:do|does|did|can|come|would|should|is|are)|what(?:'s| is| are| if| do| does| did| about"
        r"| happens)"
        r"|which|who|where (?:is|are|do|does|did)|when (?:is|are|do|does|did|will)|should (?:i|we|it|the|this)"
        r"|can (?:you"
        r"|we|i|it)|could (?:you|we|i)|do (?:you|we|i|they)|does|is (?:it|there|this|that|the)|are (?:we|you|there"
        r"|these)|did|would|will (?:it|this|that|you)|have (?:you|we)|has|explain|confirm|remind me|any idea)\b",
    ),
    clause_feature(
        "a doubt",
        -2.5,
        r"\b(?:an|another|one|my) idea\b",
        r"\b(?:maybe|perhaps|might|not sure|i(?:'m| am) unsure|i (?:think|guess|wonder|wish|believe|suppose|feel like"
        r"|assume)"
        r"|let'?s say|what if|seems?|looks like|sounds like|probably|suppose|imagine|hypothetical\w*|wondering"
        r"|thinking (?:about|of|whether)|considering|would be (?:nice|cool|great|better)|could (?:we|be)|would it"
        r"|if (?:we|i) (?:were|had|ever|decided|went|wanted|switched|told)|in theory|theoretically|tempted|toying)\b",
    ),
    clause_feature(
        "words of others",
        -2.5,
        r"\b(?:(?<!header )(?<!file )says|(?<!should have )(?<!i )said|claims?|claimed|according to|wrote"
        r"|complain(?:s|ed)?"
        r"|recommends?|suggests?|keeps saying|my (?:old|last|previous|former) \w+|(?:should|must) (?:say|mention"
        r"|state|read)|(?:teachers?|boss|reviewer"
        r"|colleague|manager|friend|he|she|they|who|docs|someone|somebody)(?: \w+)? (?:told|tells|asked|wants?"
        r"|prefers?|insists?|thinks?)|(?:client|customer|boss|vendor|teacher|manager)'s (?:rule|policy|wish|request)"
        r"|argues?|argued|asked (?:me|us)|quoting|kidding"
        r"|tweet(?:ed)?|blog post|article|stack ?overflow|their (?:docs|readme|guide|style)|the (?:docs?|documentation"
        r"|manual|readme|spec|rfc|error|warning|log|article|book|tutorial|comment|ticket"
        r"|customer|client|user|boss|manager|pm|reporter) (?:was|wants?|asks?|asked|thinks?|calls?|prefers?))\b"
        r"|\bdocs?\b[\w ]{0,20} say\b"
        r"|‹quoted›",
    ),
    clause_feature(
        "the past",
        -2.5,
        r"\b(?:was|were|wasn'?t|weren'?t|had|did|didn'?t|used to|yesterday|last (?:week|time|month|year|sprint"
        r"|release)|ago|back then|back when|formerly|at my (?:last|old|previous)|in my (?:last|old|previous)"
        r"|crashed|(?<!that )failed|happened|(?<!you )tried|forgot|spent|took|ended up|turned out|always been"
        r"|never been|missed"
        r"|my old \w+|(?:i|we|were|been) (?:also )?(?:fixed|flagged|verified|renamed|merged|pushed)|contradict\w+"
        r"|i (?:always|never) (?:\w+ed|said|knew|thought|saw|understood|got|know|forget))\b",
    ),
    clause_feature(
        "the task at hand",
        -2.0,
        r"\b(?:this|that|these|those) (?:\w+ )?(?:pr|pull request|branch|commit|changes?|session|task|issue|ticket|bug"
        r"|errors?|failure|fix|files?|lines?|plan|page|button|screen\w*|image|diff|step|time|one|ones|part|section"
        r"|comment|review|message|run|case|folder|tests?|approach|conversation|chat|worktree|phase|pass|point|feature"
        r"|week|month|morning|evening|afternoon|release|version|refactor\w*|migration|function|method|class|module"
        r"|component|query|loop|block|endpoint|table|dialog|form|modal|helper|spike|experiment|prototype|demo"
        r"|patch|sprint|deploy|once|field|column|variable|warning|log|output|list|option|snippet|stuff|thing"
        r"|things|import|view|layout)\b",
        r"\b(?:right now|for now|just now|at the moment|for the moment|tomorrow|tonight|so far|in the meantime"
        r"|meanwhile|currently|above|below|attached|step \d|phase \d|option [a-d1-9]|temporar\w+|this once"
        r"|just once|in a (?:minute|sec|moment)|the (?:current|previous|next|last|latest|following|second|third"
        r"|failing|broken|latter|remaining|rest) \w+|as (?:discussed|mentioned|requested)|you (?:just|said|suggested"
        r"|mentioned|made"
        r"|created|added|wrote|found|proposed|broke|removed|deleted)|we (?:just (?!\w+ (?:it|them)\b)|discussed"
        r"|talked|made|changed|added|did|had|recently))\b|\bhttps?:|\blocalhost\b|#\d+",
    ),
    clause_feature(
        "talk of the moment",
        -3.0,
        r"^\d+[:.)] ?(?:yes|no)\b|\b(?:third step|final state|a step forward)\b|^all files in the\b",
        r"\b(?:can (?:you|we|i)|could (?:you|we)|let me know|for example|i meant?|i just want|we (?:could|will|'ll)"
        r"|for confirmation"
        r"|still outstanding|outstanding|recently|commit and push|go ahead|not going to|do \d|and then|i (?:switched"
        r"|thought|changed)"
        r"|so i\b|ok so|oh no|like for example|(?:just|then|instead.{1,30}) call it|as written|as follow"
        r"|change in plan|if you'?re not sure"
        r"|already)\b",
    ),
    clause_feature("names from the code", -0.5, r"‹name›"),
    clause_feature(
        "many names from the code",
        -1.5,
        r"‹name›.{0,200}‹name›|:\d{2,5}\b|\b(?:medium|high|low|target"
        r"|error): ",
    ),
    clause_feature("there is", -1.0, r"^(?:there(?:'s| is| are)|neither|i (?:have|get|see) (?!only|no)\w+)\b"),
    clause_feature(
        "now", -1.0, r"(?<!from )(?<!as of )(?<!by )(?<!until )\bnow\b(?! on\b| or later| and later)|\btoday\b(?!'s)"
    ),
    clause_feature(
        "only for the task",
        -3.0,
        r"\bfor (?:this|that) (?!repo|project|codebase|team|company|board|target|app\b|product|paper|machine|org|fork"
        r"|lib|client|customer|reason)\w+",
        r"\b(?:for (?:this|that|the) (?:\w+ )?(?:pr|task|ticket|one|branch|commit|session|change|fix|demo|spike"
        r"|experiment|release|hotfix|sprint|issue|poc|prototype|run|time|file|test|case|page|bug|import)|just this"
        r"|only this"
        r"|during this|this time|this once|for now|for today|for tonight|until (?:we|the|it|tomorrow|monday|friday"
        r"|then|i'?m"
        r"|i am|i get|i'?ve|this|that)|till i|rest of (?:the|this) (?:session|day|chat|conversation|task)"
        r"|in this (?:session"
        r"|chat|conversation|pr|branch|commit|task|thread|file|function|test)|once we|come back to me|in a hurry"
        r"|yet)\b",
    ),
    clause_feature(
        "what the software does",
        -2.0,
        r"\b(?:it|this|that|which) (?:just |still |also |only )?(?:always|never|sometimes|often|usually|keeps?)\b",
        r"(?:^|[,:] |\b(?:when|if|and|that) )(?:the|each|every|this|that|its|an?) (?:[\w`'-]+ ){1,4}?(?:should"
        r"|must(?! not show)|shall|will|needs to"
        r"|has to|can|may|returns?)"
        r" (?!never be (?:edited|committed|used))",
        r"\b(?:users?|players?|customers|visitors?|admins?|clients?|callers?|guests?|contributors) (?:\w+ )?(?:must"
        r"|should|shall|can|may"
        r"|will|always|never|don'?t|cannot|can'?t|have to|need to|needs?|types?|logs?|presses|clicks?)\b",
        r"\b(?:the|a) (?:[\w`-]+ ){1,3}(?:always|never|keeps?) (?:\w+s|\w+ing)\b|\b(?:always|never) (?:returns?|fails"
        r"|crashes|works?|gets|shows|fires|ends|happens|renders|loads|true|false|null|empty|zero|called|reached|hit"
        r"|redirects"
        r"|honou?rs|finish)\b|\bwhen the (?:user|player|socket|request|job|button|page)\b",
    ),
    clause_feature(
        "what a thing does from now on",
        -3.0,
        r"\bfrom (?:now|here) on,? it'?s\b|\bfrom now on,? (?:the|it|this|an?|each|every) \w+ (?!(?:is|goes|lives"
        r"|stays|belongs|does)\b)(?:\w+(?<!s)s|will|should)\b",
    ),
    clause_feature(
        "what an application shows",
        -1.5,
        r"\b(?:borders?|background|fonts?|layout)\b",
        r"\b(?:buttons?|(?<!a )pages?|modals?|menus?|screens?|forms?|clicks?|logos?|dialogs?|tabs?(?= (?:in|on|at"
        r"|should))"
        r"|icons?|banner|colou?rs?(?! ?-?blind)|sidebar|dropdown|tooltip|rendered|renders?|displayed|browser|payload"
        r"|notification|quest"
        r"|players?|invoice|subtitle|card)\b",
    ),
    clause_feature(
        "what is wrong",
        -1.5,
        r"\b(?:crash(?:es)?|broken|slow|bug|leaks?|misaligned|doesn'?t work|not working|won'?t (?:start|build"
        r"|compile)|flickers?"
        r"|(?:tests?|build|job|it|ci|pipeline|lint) (?:is |are )?(?:fail(?:s|ing)?|red|flaky)|too slow|incorrect\w*"
        r"|wrong|weird|strange"
        r"|useless|4\d\d|5\d\d|(?:is|are) (?:still )?(?:failing|missing|blurry|empty|stuck|red|down|outdated"
        r"|behind main)|no test|tests? failfind out|figure out|investigate)\b(?! on)",
    ),
    clause_feature(
        "about the one thing",
        -1.5,
        r"^(?:don'?t|dont|do not|no need to) \w+ (?:the|this|that|my|me|him|her)\b(?! (?:\w+ ){0,3}(?:by hand|ever"
        r"|without|unless|directly|yourself)\b)"
        r"|^(?:for|in) (?:every|each) \w+ (?:in|of) the\b|\bhave i\b|\bhaha\b|:\)|\bin my life\b",
    ),
    clause_feature(
        "and then an order",
        -2.0,
        r"[,;.] (?:so |and |please |then |but |hence )?(?:implement|close|replace|rebase (?:it|this|that)|retry it"
        r"|fix|make it|add (?:a|an|the|that)|adjust"
        r"|remove (?:it|the|that)|update (?:it|the)|find (?:it|out)|look again|have a look|check (?:it|the)|restrict"
        r"|document (?:it|that)|bisect it|split it"
        r"|unify|swap|reword|renew|upgrade|convert it|rename it|build one|see (?:if|log)|rerun|show me|merge it"
        r"|ship it)\b|\bthrow-?away\b",
    ),
    clause_feature(
        "an order of the moment",
        -2.0,
        r"^(?:fetch|reply with)\b",
        r"^(?:add|fix|create|implement|update|rename|delete|remove|make|change|move|build|refactor|run|rerun|try"
        r"|check|look|find|show|explain|generate|open|push|commit and|merge|revert|rebase|go|do|give me the (?!full)"
        r"|tell|review|set"
        r"|let'?s|let the|can you|could you|i need|i want to|we need to|we should|let me|help|convert|replace|extract"
        r"|split"
        r"|install|bump|start|continue|figure|investigate|debug|finish|clean|port|migrate|take|see|test (?:the|it"
        r"|this|that|if|whether|with)|put|compare|spawn|return|mention|translate"
        r"|keep it|keep the|use the|use a|write (?:a|an|the|me)|don'?t (?:change|touch|commit|use the|over)|just \w+"
        r"|skip"
        r"|stop|only the|yes|streaming|same as|i'?ll|i'?m \w+ing|i (?:merged|pushed|have no))\b",
    ),
    clause_feature(
        "points at something",
        -1.5,
        r"^(?:it|this|that|they|he|she)(?:'s|'re)? (?!repo|project|codebase|fine to|ok to|is an? \w+ (?:shop|house))",
    ),
    clause_feature(
        "a way of speaking",
        -3.0,
        r"\b(?:never ?mind|as always|as usual|always (?:good|nice|fun|happy|a pleasure|wanted|wondered|on my|open)"
        r"|remember when|do you remember|can'?t remember|don'?t remember|i remember|if i remember|never (?:seen|heard"
        r"|understood|knew|tried|thought|mind|gonna)|almost never|not always|you (?:always|never) (?:find|forget|ran"
        r"|did|do|get)"
        r"|better late than never|now or never|like always|i'?ll (?:always|never|remember)|lol|lmao|/s\b|yeah right"
        r"|oh great|of course it|love how|apparently|thanks for|good rule|don'?t worry"
        r"|no worries|no problem|no idea|don'?t know|don'?t think|don'?t understand|don'?t see|don'?t disagree"
        r"|that'?s all|always be here|should always just|who needs)\b",
    ),
)
