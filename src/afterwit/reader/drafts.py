"""Drafts of what a model read and the checks let pass: the same kind of thing that harvesters draft. Pure.

Triggers are kept only where the session has them: a program that was called there, a path that a line names, an error
that was seen, which gives the signature of that failure. How far a draft is believed at first is what the model said,
as far as the one who spoke the lines allows.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from afterwit.actions.shell.parse import parsed
from afterwit.model.digest import Digest
from afterwit.model.knowledge import (
    EVERYWHERE,
    EXCERPT_LIMIT,
    READ,
    Activity,
    Channel,
    Draft,
    Evidence,
    Scope,
    ScopeKind,
    SessionRef,
    Trigger,
)
from afterwit.model.text import has_disguised_word, has_strange_letters, words_of
from afterwit.reader.answers import ProposedNote
from afterwit.reader.checks import Supported
from afterwit.reader.lines import ForeignText, SessionLine, Speaker
from afterwit.reader.marks import holds
from afterwit.reader.named_commands import untold_commands
from afterwit.redaction.claims import claims_in, lowers_a_guard, orders_for_good
from afterwit.redaction.hygiene import danger_in, reads_like_an_order
from afterwit.redaction.plain_names import is_plain_path

_MOST_TRIGGERS = 12
_FEWEST_ERROR_WORDS = 2


class ReadSession(NamedTuple):
    """The session that was read, as drafts need it."""

    ref: SessionRef
    lines: Sequence[SessionLine]
    digest: Digest | None  # without it no failure can be recognised
    foreign: Sequence[ForeignText] = ()


def draft_of(supported: Supported, session: ReadSession, replaced: Sequence[str] = ()) -> Draft:
    """The draft of one note."""
    proposal = supported.proposal
    scope = _scope(proposal, session.ref)
    return Draft(
        harvester=READ,
        key=(" ".join(words_of(proposal.sentence)) or proposal.sentence,),
        scope=scope,
        agents=(session.ref.agent,) if proposal.scope == "agent" else (),
        category=proposal.category,
        kind=proposal.kind,
        sentence=proposal.sentence,
        channel=supported.channel,
        triggers=tuple(dict.fromkeys(_triggers(proposal, session)))[:_MOST_TRIGGERS],
        files=tuple(path for path in _own_paths(proposal, session) if "*" not in path),
        evidence=(evidence_of(supported.lines, supported.channel, session),),
        takes="" if supported.channel is Channel.USER else _taken(proposal, session),
        supersedes=tuple(replaced),
        saves=proposal.worth,
        when=proposal.when if _is_fit(proposal.when, session.lines) else "",
        stated_confidence=proposal.confidence,
    )


def _is_fit(when: str, lines: Sequence[SessionLine]) -> bool:
    """Whether the model's own words for a moment say no more than that. Nothing proves them."""
    if (
        danger_in(when)
        or reads_like_an_order(when)
        or orders_for_good(when)
        or has_disguised_word(when)
        or claims_in(when)
    ):
        return False
    typed = (line.text for line in lines if line.speaker is Speaker.USER)
    return not (lowers_a_guard(when) or has_strange_letters(when, typed) or untold_commands(when, lines))


def _taken(proposal: ProposedNote, session: ReadSession) -> str:
    """What only a person may grant: a command that is not ordinary and was not run here with success."""
    commands = untold_commands(proposal.sentence, session.lines)
    return f"`{commands[0]}`" if commands else ""


def evidence_of(lines: Sequence[int], channel: Channel, session: ReadSession) -> Evidence:
    """The lines as a piece of evidence, those of whoever speaks first."""
    own = [at for at in lines if session.lines[at].speaker.channel is channel] or list(lines)
    excerpt = " / ".join(session.lines[at].text for at in own)[:EXCERPT_LIMIT]
    at_ms = next((at_ms for at in own if (at_ms := session.lines[at].at_ms)), None)
    return Evidence(session=session.ref, channel=channel, at_ms=at_ms or session.ref.at_ms, excerpt=excerpt)


def _scope(proposal: ProposedNote, ref: SessionRef) -> Scope:
    """Narrower than asked where there is a repository: one session of one repository proves nothing of others."""
    if proposal.scope == "agent":
        return Scope(ScopeKind.AGENT, ref.agent) if not ref.repo else Scope(ScopeKind.REPO, ref.repo)
    return Scope(ScopeKind.REPO, ref.repo) if ref.repo else EVERYWHERE


def _triggers(proposal: ProposedNote, session: ReadSession) -> Iterator[Trigger]:
    paths = tuple(_own_paths(proposal, session))
    for name in proposal.programs:
        yield from _of_program(name, session.lines)
    for error in proposal.errors:
        yield from _of_error(error, session)
    for activity in proposal.activities:
        if activity is Activity.EDIT:
            yield from (Trigger(activity=activity, path=path) for path in paths)
        else:
            yield Trigger(activity=activity)
    yield from (Trigger(path=path) for path in paths)


def _of_program(name: str, lines: Iterable[SessionLine]) -> Iterator[Trigger]:
    """The program and its words, if the session called it so and there is more than a bare name."""
    words = name.split()
    if len(words) > 1 and any(line.speaker is Speaker.ACTION and holds(line.text, name) for line in lines):
        commands = parsed(name).commands
        if commands and commands[0].program:
            yield Trigger(program=commands[0].program, words=commands[0].arguments[:3])


def _of_error(error: str, session: ReadSession) -> Iterator[Trigger]:
    """The failures of the session that say these words, by their signatures."""
    if session.digest is None or len(words_of(error)) < _FEWEST_ERROR_WORDS:
        return
    for failure in session.digest.failures:
        if failure.signature and holds(session.digest.steps[failure.at].error, error):
            yield Trigger(signature=failure.signature)


def _own_paths(proposal: ProposedNote, session: ReadSession) -> Iterator[str]:
    """Paths that a line names, or that lie around one: below the repository, and nothing but names."""
    for path in proposal.paths:
        base = path.removeprefix("./").strip("/")
        folder = base.partition("*")[0].rstrip("/")
        is_own = bool(folder) and not path.startswith(("/", "~")) and is_plain_path(folder)
        if is_own and any(holds(line.text, folder) for line in session.lines):
            yield base if "*" in base or "." in base.rpartition("/")[2] else f"{base}/**"
