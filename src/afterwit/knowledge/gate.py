"""The gate between what harvesters draft and what is kept: all pass through it, and every refusal has a reason.

Pure and strict: when in doubt, a draft stays out. What the hosts' own files say already is no reason to refuse, only to
stay silent about it (`host_text`), except where an agent merely repeats them. Text that reads like an instruction from
elsewhere is not refused but flagged: patterns find few attacks, so they may ask for a person's eye and never stand in
for the origin of words, which decides how a draft may be used. So is a command that can do what only a person may
advise, however often it worked, and what a user merely keeps saying. What of the items is shown to agents is left to
`shown_items`.

What passes may still be nothing that a person would ever approve (`needless`). That asks how often something was seen.
A rule that failed in one session is the work of that session, and a name that an agent's tool did not know once is in
the error itself: they come back by themselves with the second session. Halves of command lines and names, changes that
leave nothing but a program, and a user's words that point at something never say anything. What answers a failure with
something to do instead is not touched, nor is what a person has approved.
"""

import functools
from enum import StrEnum

from afterwit.actions.shell.command_changes import ARROW, change_from
from afterwit.harvest.commands.power import power_of, power_of_change
from afterwit.harvest.commands.spoken import power_in
from afterwit.harvest.statements import OF_A_RULE, OF_THE_PLACE, is_deictic, momentary, salient, words_stated
from afterwit.knowledge.host_text import HostText, repeats_host
from afterwit.model.knowledge import (
    GUARDED_FIXES,
    READ,
    REPEATED,
    SENTENCE_LIMIT,
    STANDING,
    Category,
    Channel,
    Draft,
    ItemKind,
)
from afterwit.model.text import has_disguised_word, regex
from afterwit.redaction.claims import claims_in, forbids, lowers_a_guard
from afterwit.redaction.hygiene import clean, danger_in, reads_like_an_order
from afterwit.redaction.markers import PLACEHOLDER, is_own
from afterwit.redaction.redaction import Redactor

_BOOT = regex(
    r"(?i)</?(?:system-reminder|command-(?:name|message|args|contents)|local-command-\w+|user-prompt-submit-hook"
    r"|environment_context|user_instructions"
    r"|permissions instructions|instructions|skill|collaboration_mode|turn_aborted|user_query|attached_files"
    r"|subagent_notification)\b"
    r"|this session is being continued from a previous conversation|^#* ?AGENTS\.md instructions\b"
    r"|base directory for this skill\b"
    r"|contents of \S*(?:CLAUDE|AGENTS|GEMINI|MEMORY)\.md\b|\byou are (?:claude|codex|chatgpt|gpt-|gemini|copilot"
    r"|a coding agent|an ai)\b"
    r"|caveat: the messages below|\bhook (?:additional context|success|feedback|blocking error)\b|\b(?:PreToolUse"
    r"|PostToolUse|SessionStart):"
    r"|codebase and user instructions are shown below|this context may or may not be relevant"
    r"|your todo list (?:has changed|is currently)"
    r"|\[request interrupted by user\b|\bauto-?memory\b.*\bpersist",
)
_INFERABLE = regex(
    r"(?i)^(?:the (?:repo(?:sitory)?|project|code ?base) (?:has|contains|is written in|consists of)\b|there (?:is"
    r"|are) (?:an? |the )?(?:file|folder|script"
    r"|function|class|package|director\w+)\b|`[^`]+` (?:exists|contains|lives in|is (?:defined|declared|located"
    r"|a (?:file|folder|script|function"
    r"|class|module|target)|in))\b|the (?:script|target|file|function|class) `[^`]+` (?:is|exists|lives)\b)",
)
_NEEDED = regex(
    r"(?i)\b(?:must|never|always|only|because|since|fails?|not|instead|before|after|until|unless|otherwise|needs?"
    r"|requires?)\b|n't\b",
)
_CODE = regex(r"`[^`]*`")
_NAMED_TMP = regex(r"/tmp/[a-z]+(?:-[a-z]+)*(?![\w./-])")  # noqa: S108 - a name that people gave, none of one run
_NAMED_COMMIT = regex(r"\ACommit `[0-9a-f]{7}` \(\d{4}-\d{2}-\d{2}")  # of a note in words of ours: it stays
_TAG = regex(r"</?[A-Za-z][\w-]*(?:\s[^<>]*)?>")
_WORD = regex(r"[A-Za-z][A-Za-z'’]*")
_VERB = regex(
    r"(?i)\b(?:is|are|be|use|run|call|do|has|have|was|were|can|must|should|will|needs?|fails?|works?|wants?|take|keep|set"
    r"|put|go|give|add|say|said|see|open"
    r"|find|read|make|stop|avoid|prefer|write|pass|quote|drop|change|edit|check|try|let|start|end|commit|update)\b|\w{3,}(?:s|ed"
    r"|ing|n't)\b",
)
NEEDS_A_PERSON = "needs a person"  # begins the reason of what only waits for one
_SUSPICIOUS = "reads like an instruction that no user gave"
_FEWEST_WORDS = 3
_REPEATING = (Channel.ASSISTANT, Channel.FILE, Channel.HOST)
_SET = (  # a variable that is set, but to what is harmless
    r"(?!(?:CI|NODE_ENV|GOCACHE|GIT_TERMINAL_PROMPT|NO_COLOR|TZ|LC_ALL|[A-Z_]+_(?:HOST|PORT))="
    r"(?:localhost|[\d.]+|true|false|test|development|production|C|UTC|/tmp/[\w/-]+)(?![\w./:-]))[A-Z][A-Z_]{3,}=\S+"
)
_SCRIPT = r"\./(?!gradlew\b|mvnw\b)[\w-][\w./-]*+(?<!/)(?<!\.\.\.)"
_NAMED_SCRIPT = r"[\w./-]+\.(?:sh|bash|zsh|fish|ps1|bat|cmd)\b"
_LOADED = regex(
    rf"(?<![\w/.-])(?:{_SCRIPT}|{_NAMED_SCRIPT}|{_SET}|core\.\w+)"
)  # a script, a variable, a setting of git
_LOADED_IN_CODE = regex(  # the same in a command: a path that a program is given is not run
    r"(?:\A|[;&|(]\s*|\b(?:sh|bash|zsh|source|exec|sudo|env|time|node|python3?|ruby|perl|deno|bun|tsx)\s+)"
    rf"{_SCRIPT}|(?<![\w/.-])(?:{_NAMED_SCRIPT}|{_SET}|core\.\w+)"
)
_MECHANICAL = (Channel.OUTCOME, Channel.TOOL)
_PIECE = regex(r"`([^`]{3,})`")  # shorter ones are signs that are spoken of
_CUT_OFF = regex(
    r"(?:[|&;({,:]|(?:^|\s)\\|;\s*(?:then|do|else))$"  # something has to follow
    r"|^(?:[|&;)},]|(?:then|do|done|else|fi|esac)(?:[\s;]|$))"  # something has to come before
    r"|<<-?\s*['\"]?\w+['\"]?$"
)
_PAIRS = (("(", ")"), ("{", "}"))
_QUOTED = regex(r"\\.|'[^']*'|\"(?:\\.|[^\"\\])*\"")
_POINTS = regex(
    r"(?i)\bthe (?:former|latter)\b"
    r"|\b(?:do|use|take|keep|like|with|for|of) (?:this|that|these|those)(?: (?:instead|too|again|please|one|ones))?"
    r"(?=[.!?]*$|[,;])"
    r"|\b(?:the )?(?:first|second|third|last|other|former|latter) (?:one|two|ones)\b"
    r"|\b(?:number|option|choice|variant|answer) (?:\d{1,2}|[a-d])\b",
)


class Rejection(StrEnum):
    """Why a draft is not kept."""

    SECRET = "secret"  # noqa: S105 - the name of a reason
    TAKEN_OUT = "taken-out"
    OWN = "own-output"
    BOOT = "boot-text"
    HOST = "host-memory"
    MOMENTARY = "momentary"
    INFERABLE = "inferable"
    UNSAFE = "unsafe"
    MALFORMED = "malformed"
    TOO_LONG = "too-long"
    SAYS_NOTHING = "says-nothing"
    SEEN_ONCE = "seen-once"
    FRAGMENT = "fragment"
    DISGUISED = "disguised"

    @property
    def words(self) -> str:
        """The reason in one sentence."""
        return _WORDS[self]


_WORDS = {
    Rejection.SECRET: "It holds something that looks like a secret or names a person.",
    Rejection.TAKEN_OUT: "It needs a value that redaction took out.",
    Rejection.OWN: "It is our own output come back.",
    Rejection.BOOT: "It is text that the agent's own program puts into every session.",
    Rejection.HOST: "The agent only repeats the instructions it was given.",
    Rejection.MOMENTARY: "It is about one moment, one machine or one conversation.",
    Rejection.INFERABLE: "A look at the code shows it.",
    Rejection.UNSAFE: "It holds an address, a blob, a credential's path or a destructive command that no user typed.",
    Rejection.MALFORMED: "It is not one plain sentence of the allowed length.",
    Rejection.TOO_LONG: f"It has more than {SENTENCE_LIMIT} characters, and is not cut.",
    Rejection.SAYS_NOTHING: "It does not say what is so or what to do.",
    Rejection.SEEN_ONCE: "One session met it, and the report of it says as much: a second session brings it back.",
    Rejection.FRAGMENT: "It is half of a command or of a name.",
    Rejection.DISGUISED: "A word of it mixes letters of alphabets that look alike.",
}


def rejection(draft: Draft, host: HostText | None = None) -> Rejection | None:
    """Why the draft may not be kept, or None."""
    said = words_stated(draft.sentence)
    shown = f"{said}\n{draft.advice}"
    if PLACEHOLDER.search(shown):
        return Rejection.TAKEN_OUT
    if _redactor().text(shown) != shown:
        return Rejection.SECRET
    return _about_origin(draft, host) or _about_form(draft, said) or _about_content(draft, said)


def review_reason(draft: Draft) -> str:
    """Why a person has to look at the draft before it counts, whatever its evidence; "" where nobody has to."""
    if draft.harvester == REPEATED:
        return f"said in {len({piece.session.story for piece in draft.evidence})} sessions: a note only if you say so"
    power = draft.takes or _power_of_words(draft)
    if draft.channel is not Channel.USER:
        power = power or power_of_advice(draft.advice)
    return f"{NEEDS_A_PERSON}: {power}" if power else _SUSPICIOUS if _reads_like_an_order(draft) else ""


def _power_of_words(draft: Draft) -> str:
    """What only a person may advise of what a sentence says in words that are not ours: a command, however often it
    worked, a script, a setting, to do without a guard, or what somebody is said to have decided. Of what was read, the
    lines decide that; and of what the user typed there, what it forbids is no harm."""
    is_read = draft.harvester == READ
    if not is_read and draft.channel is not Channel.IMPORTED:
        return ""  # templates of ours, and what people wrote themselves
    if draft.channel is Channel.USER:
        return f"`{command}`" if not forbids(draft.sentence) and (command := power_in(draft.sentence)) else ""
    spans = (match[0].strip("`") for match in _CODE.finditer(draft.sentence))
    matches = [_LOADED.search(_CODE.sub(" ", draft.sentence)), *map(_LOADED_IN_CODE.search, spans)]
    if loaded := next(filter(None, matches), None):
        return f"`{loaded[0].strip('` ')}`"
    if (command := power_in(draft.sentence, own=draft.own_tools)) or lowers_a_guard(draft.sentence):
        return f"`{command}`" if command else "a guard is left out"
    return "" if is_read or not claims_in(draft.sentence) else "says what somebody decided"


def power_of_advice(advice: str) -> str:
    """What an advice can do that only a person may advise, in words."""
    change = change_from(advice)
    if change is None:
        return power_of(advice) if advice else ""
    return power_of_change(change)


def _reads_like_an_order(draft: Draft) -> bool:
    """Whether the draft, or what it rests on, reads like an instruction that no user gave."""
    foreign = [piece.excerpt for piece in draft.evidence if piece.channel is not Channel.USER]
    own_words = [] if draft.channel is Channel.USER else [words_stated(draft.sentence), draft.advice, *draft.files]
    return any(reads_like_an_order(text) for text in (*own_words, *foreign))


def _about_origin(draft: Draft, host: HostText | None) -> Rejection | None:
    excerpts = [piece.excerpt for piece in draft.evidence if piece.excerpt and not piece.is_against]
    if is_own(draft.sentence) or is_own(draft.advice) or (excerpts and all(map(is_own, excerpts))):
        return Rejection.OWN
    if _BOOT.search(draft.sentence) or (excerpts and all(_BOOT.search(excerpt) for excerpt in excerpts)):
        return Rejection.BOOT
    if host is not None and draft.channel in _REPEATING and repeats_host(words_stated(draft.sentence), host):
        return Rejection.HOST
    return None


def _about_form(draft: Draft, said: str) -> Rejection | None:
    if len(draft.sentence) > SENTENCE_LIMIT:
        return Rejection.TOO_LONG
    if draft.channel is not Channel.USER and has_disguised_word(f"{draft.sentence} {draft.advice}"):
        return Rejection.DISGUISED
    if "\n" in draft.sentence or clean(draft.sentence) != draft.sentence:
        return Rejection.MALFORMED
    prose = _CODE.sub("x", said)
    if _TAG.search(prose) or prose.startswith(("#", "- ", "* ", ">", "|")) or "`" in prose:
        return Rejection.MALFORMED
    has_verb = _VERB.search(prose) or prose.endswith(".")
    is_empty = any(not span.strip("`.… ") for span in _CODE.findall(said))
    if is_empty or len(_WORD.findall(prose)) < _FEWEST_WORDS or not has_verb:
        return Rejection.SAYS_NOTHING
    return None


def _about_content(draft: Draft, said: str) -> Rejection | None:
    lasting = _NAMED_TMP.sub("x", said) if draft.harvester == READ else said
    lasting = _NAMED_COMMIT.sub("x", lasting) if draft.harvester == GUARDED_FIXES else lasting
    is_standing = draft.harvester == STANDING  # whether its words point at something was weighed when they were taken
    may_hold = OF_THE_PLACE if is_standing else OF_A_RULE if draft.channel is Channel.USER else frozenset[str]()
    passing = momentary(lasting, may_hold) or momentary(draft.advice)
    is_pointing = said != draft.sentence and not is_standing and is_deictic(said)
    if (passing and draft.kind is not ItemKind.THREAD) or is_pointing:
        return Rejection.MOMENTARY
    if draft.channel is not Channel.USER and (danger_in(said) or danger_in(draft.advice)):
        return Rejection.UNSAFE
    if draft.category is Category.FACT and not draft.advice and _INFERABLE.match(said) and not _NEEDED.search(said):
        return Rejection.INFERABLE
    return None


@functools.cache
def _redactor() -> Redactor:
    """Only asked whether it would change anything, so its key does not matter."""
    return Redactor(b"\0" * 32)


def needless(draft: Draft) -> Rejection | None:
    """Why nobody is to be asked about a draft that the gate lets pass, or None."""
    said = words_stated(draft.sentence)
    if said != draft.sentence:
        return _about_words(said)
    if draft.channel not in _MECHANICAL:
        return None
    if _has_halves(draft) or _leaves_a_program(draft.advice):
        return Rejection.FRAGMENT
    return Rejection.SEEN_ONCE if _count_stories(draft) <= 1 and _adds_nothing(draft) else None


def _about_words(said: str) -> Rejection | None:
    if _POINTS.search(said):
        return Rejection.MOMENTARY
    return None if salient(said) else Rejection.SAYS_NOTHING


def _count_stories(draft: Draft) -> int:
    """In how many independent sessions."""
    return len({piece.session.story for piece in draft.evidence if not piece.is_against})


def _adds_nothing(draft: Draft) -> bool:
    """Whether it says no more than the report or the error that it was seen by."""
    if draft.category is Category.QUESTION or not draft.triggers:
        return False
    if all(trigger.rule for trigger in draft.triggers):
        return True
    is_name = any(trigger.tool and trigger.words for trigger in draft.triggers)
    return is_name and not draft.advice


def _has_halves(draft: Draft) -> bool:
    return any(map(_is_half, (*_PIECE.findall(draft.sentence), *filter(None, draft.advice.split(ARROW)))))


def _is_half(piece: str) -> bool:
    """Whether a command line or a name was cut in two."""
    bare = _QUOTED.sub("", piece.strip())
    if _CUT_OFF.search(bare) or "'" in bare or '"' in bare:
        return True
    return any(bare.count(opening) != bare.count(closing) for opening, closing in _PAIRS)


def _leaves_a_program(advice: str) -> bool:
    """Whether a change takes everything from a command but the program: that the rest was wrong says nothing."""
    before, arrow, after = advice.partition(ARROW)
    words = before.split()
    return bool(arrow) and len(words) > 1 and after.split() == words[:1]
