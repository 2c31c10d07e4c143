"""What a user said that is meant to last, and what a user keeps saying.

What people mean is read by a model or decided by a person. Standing rules are only the plainest forms: a whole sentence
that the user typed and that says of itself that it lasts ("remember …", "from now on …", "always …", "never …"),
without a doubt, a question or a quotation, and with nothing of the moment in it. It is quoted as it was typed, and
waits until the same is said in another session, or a person approves it. Who says the opposite later takes it back at
once. Prose that was pasted without a mark reads like typed prose, but other words introduce it, or say what to think of
it. So what is not the whole prompt in two sessions waits for a person, and so does a rule with a command that never
worked in its repository.

Repeated words are any sentence that was typed in three or more sessions of a repository, in the same words in the main.
Which of them is meant as a rule is no program's to say: they need a person's approval, and are told to nobody before.
Left out are commonplaces of the work, and what is said as often in several repositories.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from msgspec.structs import replace

from afterwit.actions.shell.parse import parsed
from afterwit.actions.steps import command_of
from afterwit.harvest.harvester import NEVER_ALONE, Grouped, by_repo, evidence_of, item_id
from afterwit.harvest.statements import attribute, is_general, is_negative, likeness, salient, typed_sentences
from afterwit.model.digest import Digest
from afterwit.model.knowledge import (
    EVERYWHERE,
    EXCERPT_LIMIT,
    REPEATED,
    STANDING,
    Category,
    Channel,
    Draft,
    Scope,
    ScopeKind,
    Seen,
    Sighting,
)
from afterwit.model.text import regex, words_of
from afterwit.redaction.accounts import is_person
from afterwit.redaction.hygiene import clean

_ALIKE = 0.6
_MOST_RULES = 6  # of a session
_AROUND = " \t\n.!"
_LEAD = regex(r"(?i)^(?:(?:please|pls|also|and|but|ok|okay)\b[\s,:;!-]*)+")
_NO_ORDER = (  # what follows "always" and "never" in a remark
    r"(?!(?:mind|again|before|once|really|quite|a|an|the|in|on|at|my|good|nice|great|true|false|null|empty|going|been"
    r"|seen|saw|got|had|was|were|is|are|knew|thought|wanted|said|did|does|works?|fails?|be able)\b)"
    r"(?!\w+(?<!s)s\b)(?!\w{3,}ed\b)"
)
_LASTS = regex(
    r"(?i)^(?:from (?:now|here|today) on(?:wards?)?|going forward|moving forward|in (?:the )?future)"
    r"(?:,|\b(?! (?:with|to|and|releases?|versions?|prs?|work|plans?|steps?)\b)) ?\w"
    r"|, from now on[.!]*$| from now on[.!]*$"
    r"|^remember(?::|,| that| to| not to| (?=(?:we|our|you|i|never|always)\b))(?! (?:time|one|bug|day|was|were)\b) ?\S"
    rf"|^(?:always|never(?: ever)?) {_NO_ORDER}[a-z]{{2,}}",
)
_DOUBT = regex(
    r"(?i)\?|:$|\b(?:maybe|perhaps|probably|possibly|might|i (?:think|guess|suppose|believe|wonder|assume|wish|hope)"
    r"|not sure|unsure|unless i|seems?|what if|should we|shall we)\b",
)
_NO_COMMAND = (  # what is run in plain words
    r"the|an?|all|any|it|them|this|that|these|those|our|your|my|its|every|each|only|both|in|on|with|from|as|into|out"
    r"|again|locally|everything|anything|something|(?:unit|e2e|integration|full|type)\b.*"
    r"|(?:test|lint|linter|check|build|formatter|migration|command|script|suite|typecheck)s?"
)
_TOLD_TO_RUN = regex(
    r"(?i)\b(?:re)?(?:run|execute|invoke|install|launch)(?:ning|s)?:? "
    rf"(?:`([^`]+)`|(?!(?:{_NO_COMMAND})\b)([\w./~@-]+(?: [\w./~@:-]+){{0,2}}))",
)
_SPELLED = regex(r"`([a-z./~][\w./~@-]* [^`]*)`")
_FORBIDS = regex(r"(?i)^(?:never|do not|don't)\b(?!.*(?:[,;]|\b(?:without|unless|until|before|instead|but|except)\b))")
UNTRIED = "a command that never worked here"
PART = "what stands among other words may be quoted or pasted"
SESSIONS = 3
_MOST_SENTENCES = 40  # of a session
_FEWEST_WORDS = 4
ROUTINE = frozenset(
    words_of(
        """again ahead answer approve ask bit branch build bug check ci clean close comment commit complete confirm
        continue create current debug delete deploy describe diff doc docs done edit ensure error everything explain
        fail failing feature feedback find finish first fixed go good green help issue keep latest lint local main
        master merge next okay open options pass pipeline pr problem proceed pull push question read ready rebase
        remaining remove repo request resolve result retry review run same sense session start status step stop
        suggest sure task tell test tests think time todo try typecheck verify wait work works write yes yet"""
    )
)


class StatedMatter(NamedTuple):
    """What was said again and again, the earliest time first."""

    words: frozenset[str]
    is_negative: bool
    sightings: list[Sighting[Seen]]

    @property
    def last(self) -> Sighting[Seen]:
        return self.sightings[-1]

    @property
    def key(self) -> tuple[str, ...]:
        return (*sorted(self.words), "not") if self.is_negative else tuple(sorted(self.words))

    @property
    def people(self) -> frozenset[str]:
        """Who said it, as far as they can be told from others."""
        return frozenset(filter(is_person, (sighting.session.user for sighting in self.sightings)))

    @property
    def stories(self) -> frozenset[str]:
        return frozenset(sighting.session.story for sighting in self.sightings)

    def draft(
        self, harvester: str, scope: Scope, said: Sighting[Seen], replaced: Sequence["StatedMatter"] = ()
    ) -> Draft:
        """The matter in the words of one time. Without triggers: what a user wants is told at the start."""
        return Draft(
            harvester=harvester,
            key=self.key,
            scope=scope,
            category=Category.PITFALL if self.is_negative else Category.PATTERN,
            sentence=attribute(_moment(said), said.seen.excerpt),
            channel=Channel.USER,
            evidence=tuple(evidence_of(sighting, Channel.USER) for sighting in self.sightings),
            supersedes=tuple(item_id(harvester, scope, old.key) for old in replaced),
        )


def _moment(sighting: Sighting[Seen]) -> int:
    return sighting.seen.at_ms or sighting.session.at_ms


def _order(sighting: Sighting[Seen]) -> tuple[int, str, str, int, str]:
    session, seen = sighting
    return _moment(sighting), session.agent, session.native_id, seen.at or 0, seen.excerpt


def matters(sightings: Iterable[Sighting[Seen]]) -> list[StatedMatter]:
    """What was said, each matter once, in the order in which it was first said: the same in the main with the same
    sign. Words of another person are the same matter only where they are the same words."""
    said: list[StatedMatter] = []
    for sighting in sorted(sightings, key=_order):
        text = sighting.seen.excerpt
        new = StatedMatter(salient(text), is_negative(text), [sighting])
        same = next((earlier for earlier in said if _is_same(earlier, new)), None)
        if same is not None:
            same.sightings.append(sighting)
        elif new.words:
            said.append(new)
    return said


def _is_same(earlier: StatedMatter, new: StatedMatter) -> bool:
    if earlier.is_negative != new.is_negative or likeness(new.words, earlier.words) < _ALIKE:
        return False
    return earlier.words == new.words or not earlier.people or earlier.people.issuperset(new.people)


def last_words(said: Sequence[StatedMatter]) -> Iterator[tuple[StatedMatter, list[StatedMatter]]]:
    """Each matter without what those who said it have taken back, and those that it replaces: of matters that say the
    opposite, the one that was said last replaces the others."""
    for matter in said:
        opposites = [
            other
            for other in said
            if other.is_negative != matter.is_negative and likeness(matter.words, other.words) >= _ALIKE
        ]
        since = {sighting.session.user: _moment(sighting) for other in opposites for sighting in other.sightings}
        kept = [sighting for sighting in matter.sightings if _moment(sighting) >= since.get(sighting.session.user, 0)]
        replaced = [other for other in opposites if _moment(other.last) < _moment(matter.last)]
        yield matter._replace(sightings=kept or matter.sightings), replaced


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
                excerpt = clean(text)[:EXCERPT_LIMIT]
                words = StandingWords(excerpt=excerpt, at_ms=said.at_ms, is_part=text.strip(_AROUND) != whole)
                rules.setdefault(text, Grouped(digest.repo, words))
        yield from islice(rules.values(), _MOST_RULES)
        worked = (at for at, step in enumerate(digest.steps) if step.has_worked)
        ran = {name for at in worked for names in _names(command_of(digest.steps, at)) for name in names}
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


class RepeatedWords:
    """What a user keeps saying."""

    name = REPEATED
    version = 2
    minimum_stories = NEVER_ALONE
    seen = Seen

    def see(self, digest: Digest) -> Iterable[Grouped[Seen]]:
        texts: dict[str, Grouped[Seen]] = {}
        for said in digest.prompts if digest.repo else ():
            for text in filter(_is_telling, typed_sentences(said.text)) if said.is_person else ():
                texts.setdefault(
                    text, Grouped(_longest_word(text), Seen(excerpt=clean(text)[:EXCERPT_LIMIT], at_ms=said.at_ms))
                )
        return list(texts.values())[:_MOST_SENTENCES]

    def conclude(self, group: str, sightings: Sequence[Sighting[Seen]]) -> Iterable[Draft]:  # noqa: ARG002 - a word
        often = {scope: list(_often(said)) for scope, said in by_repo(sightings).items()}
        for scope, said in often.items():
            elsewhere = [matter for other, theirs in often.items() if other != scope for matter in theirs]
            for matter in said:
                if not any(likeness(matter.words, other.words) >= _ALIKE for other in elsewhere):
                    yield matter.draft(self.name, scope, _plainest(matter))


def _is_telling(text: str) -> bool:
    """Whether a sentence says something of its own that outlasts its day. Those that say that they last are standing
    rules."""
    words = sum(word.strip(".,;:!?()'`").replace("'", "").isalpha() for word in text.split())
    return words >= _FEWEST_WORDS and bool(_own_words(text)) and is_general(text) and not is_standing(text)


def _own_words(text: str) -> frozenset[str]:
    return salient(text) - ROUTINE


def _longest_word(text: str) -> str:
    """By which sentences are brought together: those that share most of their words share this one."""
    return min(_own_words(text), key=lambda word: (-len(word), word))


def _often(sightings: Iterable[Sighting[Seen]]) -> Iterator[StatedMatter]:
    return (matter for matter in matters(sightings) if len(matter.stories) >= SESSIONS)


def _plainest(matter: StatedMatter) -> Sighting[Seen]:
    """In the words that were used most, else in the fewest."""
    counts = Counter(sighting.seen.excerpt for sighting in matter.sightings)
    return max(matter.sightings, key=lambda said: (counts[said.seen.excerpt], -len(said.seen.excerpt), _moment(said)))
