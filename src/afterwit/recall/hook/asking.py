"""Whether a prompt asks for a command: by its words alone, and without a model.

A prompt asks where it names the command as it is typed, or its verb as an order ("push it", "open a PR"), and takes it
back where it denies that ("don't push yet"); the last mention counts. A question about it, or a word about what
happened ("the push failed", "why did you push?") does neither. A short yes agrees to what was asked just before; only
whoever knows that a call was stopped can say to what. Loaded only where a check asks.
"""

ASKED, DENIED, AGREED = "asked", "denied", "agreed"
_LONGEST = 12_000  # characters of a prompt that are looked at, as in digests
_MOST_WORDS_OF_A_YES = 8
_DENIES = frozenset(
    "dont don't not never no without stop avoid wait hold unless until refrain nor neither cannot can't".split()  # noqa: SIM905
)
_ASIDE = frozenset("did does was were why how if before whether would".split())  # noqa: SIM905
_NOUN_AFTER = frozenset("the a an this that last previous first your my our their latest failed every each".split())  # noqa: SIM905
_NOUN_BEFORE = frozenset("failed fails worked message messages history hook hooks through back forward".split())  # noqa: SIM905
_YES = frozenset(
    "yes yep yeah yup sure ok okay proceed approved confirmed confirm continue fine lgtm y".split()  # noqa: SIM905
)
_YES_IN_TWO = frozenset((("do", "it"), ("do", "so"), ("do", "that"), ("go", "ahead"), ("go", "for"), ("go", "on")))
_CLAUSE = dict.fromkeys(map(ord, '.,;:!?\n()"“”[]{}'), " | ")
_CLAUSE |= dict.fromkeys(map(ord, "–—•、，。；：！？"), " | ") | dict.fromkeys(map(ord, "`*_"), " ") | {ord("’"): "'"}
_PLAINLY = (("pull request", "pr"), ("merge request", "pr"), ("do not ", "don't "))
_BREAKS = frozenset(("but", "then", "instead"))
_PULLS = frozenset(("pr", "prs", "mr", "mrs"))
_CREATE = frozenset(
    ("create", "open", "make", "raise", "submit", "put", "send", "file", "prepare", "get", "push", "do")
)
_SAME = {  # words by which people ask for what a command calls so
    "comment": ("comment", "reply", "respond", "answer", "post"),
    "review": ("review", "approve", "comment", "reply"),
    "publish": ("publish", "release"),
    "deploy": ("deploy", "ship"),
    "push": ("push", "ship", "upload"),
    "merge": ("merge", "land"),
}
_OF_THE_PROGRAM = frozenset(("up", "down", "start", "stop", "exec", "run"))  # say too little without what they run
_SHORT_FLAGS = {"f": "force", "a": "all", "d": "delete"}
_FIRST_WITHOUT_BLANKS = "\u2e80"
_Way = tuple[frozenset[str], frozenset[str]]  # verbs, one of which is there, and things, if any, one of which is, too


def wish_in(prompt: str, command: str, more: str = "") -> str:
    """What a prompt says of a command: ASKED, DENIED, AGREED (a short yes to whatever was asked), or nothing.
    `more` are further words by which the user asks, separated by commas."""
    typed = command.lower().split()
    ways = _ways(typed)
    phrases = [typed, *(phrase.split() for phrase in more.lower().split(",") if phrase.strip())]
    wish = ""
    clauses = _clauses(prompt)
    for clause in clauses:
        wish = _wish_of(clause, ways, phrases) or wish
    if wish:
        return wish
    plain = [word for clause in clauses for word in clause if word != "please"]
    says_yes = bool(plain) and (plain[0] in _YES or tuple(plain[:2]) in _YES_IN_TWO)
    is_yes = says_yes and len(plain) <= _MOST_WORDS_OF_A_YES and not _DENIES.intersection(plain)
    return AGREED if is_yes else ""


def _ways(typed: list[str]) -> list[_Way]:
    """The ways in which somebody orders a command."""
    program = typed[0].rpartition("/")[2]
    named = [program, *(word for word in typed[1:] if not word.startswith("-"))]
    nothing: frozenset[str] = frozenset()
    verb = named[-1]
    flags = {word.partition("=")[0].lstrip("-") for word in typed[1:] if word.startswith("-")}
    if flags and len(named) <= len((program, verb)):  # who says "push it" does not ask for `git push --force`
        return [(frozenset(_SHORT_FLAGS.get(flag, flag) for flag in flags), nothing)]
    if verb in _OF_THE_PROGRAM and len(named) > 1:
        return [(frozenset(named[:-1]), nothing)]
    if verb == "create":
        return [(_CREATE, _PULLS if named[-2] in _PULLS else frozenset((named[-2], f"{named[-2]}s")))]
    ways = [(frozenset(_SAME.get(verb, (verb,))), nothing)]
    if verb == "push":
        ways.append((_CREATE, _PULLS))
    return [*ways, (_CREATE, frozenset((verb, f"{verb}s")))]


def _wish_of(clause: list[str], ways: list[_Way], phrases: list[list[str]]) -> str:
    at = min((at for way in ways if (at := _ordered(clause, way)) >= 0), default=-1)
    if at < 0:
        at = next((at for phrase in phrases if (at := _find_phrase(phrase, clause)) >= 0), -1)
    if at < 0:
        return ""
    before = clause[1 if clause[0] == "no" and at > 1 and clause[1] not in ("need", "more") else 0 : at]
    if _DENIES.intersection(before) and "forget" not in before:
        return DENIED
    return "" if _ASIDE.intersection(before) or clause[at].endswith("ing") else ASKED


def _ordered(clause: list[str], way: _Way) -> int:
    """Where a clause has one of the verbs, as an order, and one of the things behind it. `pushing` orders nothing, but
    may be denied."""
    verbs, things = way
    for at, typed in enumerate(clause):
        word = typed.lstrip("-")
        is_verb = word in verbs or (word.endswith("ing") and word[:-3] in verbs)
        if is_verb and (things.intersection(clause[at + 1 :]) if things else not _is_noun(clause, at)):
            return at
    return -1


def _is_noun(clause: list[str], at: int) -> bool:
    """Whether a word is about the thing and orders nothing: "the push", "commit 1a2b3c4"."""
    following = clause[at + 1] if at + 1 < len(clause) else ""
    is_hash = len(following) >= 7 and all(letter in "0123456789abcdef" for letter in following)
    return bool(at and clause[at - 1] in _NOUN_AFTER) or is_hash or following in _NOUN_BEFORE


def _find_phrase(phrase: list[str], clause: list[str]) -> int:
    """Where the words of a phrase stand, one after the other."""
    length = len(phrase)
    return next((at for at in range(len(clause) - length + 1) if clause[at : at + length] == phrase), -1)


def loosely_meant(prompt: str, command: str) -> bool:
    """Whether a prompt speaks of a command in any form, as an order or not."""
    ways = _ways(command.lower().split())
    forms = {f"{verb}{ending}" for verbs, _ in ways[:1] for verb in verbs for ending in ("", "ed", "ing", "d")}
    return any(
        (not things and not forms.isdisjoint(clause))
        or (bool(things.intersection(clause)) and bool(verbs.intersection(clause)))
        for clause in _clauses(prompt)
        for verbs, things in ways
    )


def _apart(text: str) -> str:
    """With a blank between letters of scripts that are written without, and Latin ones."""
    if text.isascii():
        return text
    spaced = []
    was_plain = True
    for letter in text:
        is_plain = letter < _FIRST_WITHOUT_BLANKS
        spaced.append(letter if is_plain is was_plain else f" {letter}")
        was_plain = is_plain
    return "".join(spaced)


def _clauses(prompt: str) -> list[list[str]]:
    """The words of a prompt, clause by clause."""
    text = _apart(prompt[:_LONGEST].lower()).translate(_CLAUSE)
    for named, plain in _PLAINLY:
        text = text.replace(named, plain)
    clauses: list[list[str]] = [[]]
    for word in text.split():
        if word in ("|", "-") or word in _BREAKS:
            clauses.append([])
        else:
            clauses[-1].append(word)
    return [clause for clause in clauses if clause]
