"""Rules of a user that say of themselves that they last: "remember …", "from now on …", "always …", "never …".

What people mean is read by a model or decided by a person. Taken here are only the plainest forms: a whole sentence
that the user typed and that begins so, without a doubt, a question or a quotation, and with nothing of the moment in
it. It is quoted as it was typed, and waits until the same is said in another session, or a person approves it. Who says
the opposite later takes it back at once. Prose that was pasted without a mark reads like typed prose, but other words
introduce it, or say what to think of it. So what is not the whole prompt in two sessions waits for a person, and so
does a rule with a command that never worked in its repository.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from msgspec.structs import replace

from afterwit.actions.shell.parse import parsed
from afterwit.harvest.commands.invocations import command_at
from afterwit.harvest.harvester import Grouped
from afterwit.harvest.statements import is_general, last_words, matters, salient, stated, typed_sentences
from afterwit.model.digest import Digest
from afterwit.model.knowledge import EVERYWHERE, STANDING, Draft, Scope, ScopeKind, Seen, Sighting
from afterwit.model.text import regex

_MOST = 6  # a session
_AROUND = " \t\n.!"
_LEAD = regex(r"^(?:(?:please|pls|also|and|but|ok|okay)\b[\s,:;!-]*)+", re.IGNORECASE)
_NO_ORDER = (  # what follows "always" and "never" in a remark
    r"(?!(?:mind|again|before|once|really|quite|a|an|the|in|on|at|my|good|nice|great|true|false|null|empty|going|been"
    r"|seen|saw|got|had|was|were|is|are|knew|thought|wanted|said|did|does|works?|fails?|be able)\b)"
    r"(?!\w+(?<!s)s\b)(?!\w{3,}ed\b)"
)
_LASTS = regex(
    r"^(?:from (?:now|here|today) on(?:wards?)?|going forward|moving forward|in (?:the )?future)"
    r"(?:,|\b(?! (?:with|to|and|releases?|versions?|prs?|work|plans?|steps?)\b)) ?\w"
    r"|, from now on[.!]*$| from now on[.!]*$"
    r"|^remember(?::|,| that| to| not to| (?=(?:we|our|you|i|never|always)\b))(?! (?:time|one|bug|day|was|were)\b) ?\S"
    rf"|^(?:always|never(?: ever)?) {_NO_ORDER}[a-z]{{2,}}",
    re.IGNORECASE,
)
_DOUBT = regex(
    r"\?|:$|\b(?:maybe|perhaps|probably|possibly|might|i (?:think|guess|suppose|believe|wonder|assume|wish|hope)"
    r"|not sure|unsure|unless i|seems?|what if|should we|shall we)\b",
    re.IGNORECASE,
)
_NO_COMMAND = (  # what is run in plain words
    r"the|an?|all|any|it|them|this|that|these|those|our|your|my|its|every|each|only|both|in|on|with|from|as|into|out"
    r"|again|locally|everything|anything|something|(?:unit|e2e|integration|full|type)\b.*"
    r"|(?:test|lint|linter|check|build|formatter|migration|command|script|suite|typecheck)s?"
)
_TOLD_TO_RUN = regex(
    r"\b(?:re)?(?:run|execute|invoke|install|launch)(?:ning|s)?:? "
    rf"(?:`([^`]+)`|(?!(?:{_NO_COMMAND})\b)([\w./~@-]+(?: [\w./~@:-]+){{0,2}}))",
    re.IGNORECASE,
)
_SPELLED = regex(r"`([a-z./~][\w./~@-]* [^`]*)`")
_FORBIDS = regex(
    r"^(?:never|do not|don't)\b(?!.*(?:[,;]|\b(?:without|unless|until|before|instead|but|except)\b))", re.IGNORECASE
)
UNTRIED = "a command that never worked here"
PART = "what stands among other words may be quoted or pasted"


class StandingWords(Seen, frozen=True, kw_only=True, omit_defaults=True):
    """A sentence; or, without one, the programs that a session ran with success, each with its subcommand."""

    ran: tuple[str, ...] = ()
    is_part: bool = False  # of a longer prompt

    @property
    def is_telling(self) -> bool:
        return not self.ran


class StandingRules:
    """What a user said that says of itself that it lasts."""

    name = STANDING
    version = 9
    minimum_stories = 2
    seen = StandingWords

    def see(self, digest: Digest) -> Iterable[Grouped[StandingWords]]:
        rules: dict[str, Grouped[StandingWords]] = {}
        for said in digest.prompts:
            whole = said.text.strip(_AROUND)
            for text in standing_sentences(said.text) if said.is_person else ():
                words = StandingWords(
                    excerpt=stated(text, None).excerpt, at_ms=said.at_ms, is_part=text.strip(_AROUND) != whole
                )
                rules.setdefault(text, Grouped(digest.repo, words))
        yield from islice(rules.values(), _MOST)
        worked = (at for at, step in enumerate(digest.steps) if step.has_worked)
        ran = {name for at in worked for names in _names(command_at(digest.steps, at)) for name in names}
        if ran:
            yield Grouped(digest.repo, StandingWords(ran=tuple(sorted(ran))))

    def conclude(self, group: str, sightings: Sequence[Sighting[StandingWords]]) -> Iterable[Draft]:
        scope = Scope(ScopeKind.REPO, group) if group else EVERYWHERE
        said = [Sighting[Seen](session, seen) for session, seen in sightings if seen.is_telling]
        ran = {name for _, seen in sightings for name in seen.ran}
        for matter, replaced in last_words(matters(said)):
            draft = matter.draft(self.name, scope, matter.last, replaced)
            is_tried = commands_named(matter.last.seen.excerpt) <= ran
            parts = {
                session.story for session, seen in matter.sightings if isinstance(seen, StandingWords) and seen.is_part
            }
            is_whole = len(matter.stories - parts) >= min(self.minimum_stories, len(matter.stories))
            yield replace(draft, takes=UNTRIED if not is_tried else "" if is_whole else PART)


def commands_named(sentence: str) -> set[str]:
    """The commands that a sentence says to run or spells out: those between backticks with their subcommands."""
    if _FORBIDS.search(_LEAD.sub("", sentence)):
        return set()
    told = _TOLD_TO_RUN.findall(sentence)
    lines = [*(quoted for quoted, _ in told), *_SPELLED.findall(sentence)]
    spelled = {full for line in lines for _, full in _names(line)}
    return spelled | {program for _, words in told for program, _ in _names(words)}


def _names(line: str) -> Iterator[tuple[str, str]]:
    """Each program of a line, alone and with its subcommand."""
    for command in parsed(line).commands if line else ():
        yield command.program, f"{command.program} {command.subcommand}".strip()


def standing_sentences(prompt: str) -> list[str]:
    """The sentences of a prompt that say of themselves that they last, as they were typed."""
    return [text for text in typed_sentences(prompt) if is_standing(text)]


def is_standing(sentence: str) -> bool:
    """Whether a sentence that a person typed says of itself that it lasts."""
    bare = _LEAD.sub("", sentence)
    if not _LASTS.search(bare) or _DOUBT.search(bare):
        return False
    return is_general(bare) and bool(salient(bare))
