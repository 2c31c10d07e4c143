"""Proposes versions of skills: verified, with their evidence; those that fail verification with the reasons.

A first version is proposed for what sessions keep doing by hand: checks that are known to have passed before commits.
The next version of a skill is proposed where `trends` says that it got worse, or where it harms.
Everything is derived anew from what was learned; nothing is stored before a person decides.
"""

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path

import apsw
import msgspec

from afterwit.agents.registry import agent as agent_of
from afterwit.capture.checkouts import Checkout, OpenedRows, checkouts, readable_checkouts
from afterwit.capture.missing import NamedSubjects, find_missing
from afterwit.config.world import World, redactor_of
from afterwit.connect.foreign_files import look, shortened
from afterwit.digest.door import load_digest
from afterwit.extras.lab.skill_folders import FILE, skill_document, skill_name, skill_readers, skills_root
from afterwit.extras.lab.skills.effect import WeighedUse, effect_of, is_worth_telling
from afterwit.extras.lab.skills.evolve.draft import (
    CheckSeen,
    Procedure,
    checks_after,
    checks_in,
    evidence_of,
    evidence_of_uses,
    first_version,
    next_version,
    procedure_of,
)
from afterwit.extras.lab.skills.evolve.trial import Evolution, evolution_of
from afterwit.extras.lab.skills.evolve.verify import (
    CheckoutLook,
    CommandHistory,
    ProposalKind,
    SkillProposal,
    StorySession,
    TextSurroundings,
    already_said,
    paths_in,
    project_calls,
    refusals,
)
from afterwit.extras.lab.skills.figures import SkillHistory, skill_history, trends
from afterwit.harvest.door import SessionRefs
from afterwit.harvest.harvester import group_by
from afterwit.knowledge.door.host_files import instructions
from afterwit.knowledge.door.list import all_items
from afterwit.knowledge.host_text import HostText
from afterwit.model.errors import AfterwitError, UsageError
from afterwit.model.knowledge import STANDING, ItemStatus, ScopeKind
from afterwit.sessions.filters import Filter
from afterwit.sources.checkout import has_path
from afterwit.store.decisions import gather_decisions
from afterwit.store.layout import redaction_key
from afterwit.store.rows.extras import skill_entries
from afterwit.store.rows.items import recorded
from afterwit.store.rows.session_list import Selection, select_sessions
from afterwit.store.store import readonly_database

_MOST_SESSIONS = 400  # of a repository, the latest, in which commands are looked up
_FIRST = "1.0.0"
_MOST_SKILLS = 500  # in one folder


def propose(world: World) -> list[SkillProposal]:
    """All proposals that nobody has decided about: those that are offered first, then by how much stands behind."""
    history = skill_history(world, Filter())
    with readonly_database(world.layout) as db:
        gone = evolution_in(db).decided
        made = [proposal for proposal in _Proposing(world, db, history).all() if proposal.id not in gone]
    return sorted(made, key=lambda proposal: (not proposal.is_offered, -proposal.sessions, proposal.skill))


def evolution_in(db: apsw.Connection) -> Evolution:
    """All that was decided about versions of skills."""
    return evolution_of(skill_entries(db))


Checks = Mapping[str, Sequence[CheckSeen]]  # by repository


class _Proposing:
    """Looks at one store. What a repository's sessions and checkouts say is found out once."""

    def __init__(self, world: World, db: apsw.Connection, history: SkillHistory) -> None:
        self._world = world
        self._db = db
        self._history = history
        self._rows = OpenedRows(db, redaction_key(world.layout))
        self._refs = SessionRefs(db, "", gather_decisions(recorded(db)).forgotten)
        self._checkouts = checkouts(self._rows, world)
        self._texts = instructions(self._rows, world, self._checkouts)
        self._redactor = redactor_of(world)
        self._around: dict[str, TextSurroundings] = {}

    def all(self) -> Iterator[SkillProposal]:
        checks = group_by(checks_in(self._db, self._refs), lambda check: check.repo)
        yield from self._propose_first(checks)
        yield from self._propose_next(checks)

    def _propose_first(self, checks: Checks) -> Iterator[SkillProposal]:
        for repo, own in checks.items():
            procedure = procedure_of(own)
            proposal = self._first(repo, procedure) if procedure.commands else None
            if proposal is not None:
                yield proposal

    def _first(self, repo: str, procedure: Procedure) -> SkillProposal | None:
        commands, seen = procedure
        drafted = first_version(repo, commands)
        if drafted is None:
            return None
        document = skill_document(skill_name(drafted.about, ""), drafted.description, drafted.body, _FIRST)
        text = document.content.decode()
        agents = sorted({piece.session.agent for piece in seen} & {reader.name for reader in skill_readers()})
        places = self._user_places(agents, document.name)
        around = self._surroundings(repo)
        kept_out = (
            *([] if agents else ["None of the agents that do this reads skills."]),
            *(f"{place.parent} is there already." for place in places if os.path.lexists(place.parent)),
            *filter(None, (already_said(commands, around), self._find_saying(agents, repo, commands))),
            *refusals(None, text, around, self._look(repo, text)),
        )
        return SkillProposal(
            kind=ProposalKind.MISSING,
            skill=document.name,
            repo=repo,
            agents=tuple(agents),
            paths=tuple(shortened(place, self._world.user_home) for place in places),
            old=None,
            new=text,
            why=f"{procedure.stories} independent sessions ran several of these by hand before a commit.",
            changes=("a first version",),
            evidence=evidence_of(seen),
            sessions=procedure.stories,
            refusals=kept_out,
        )

    def _propose_next(self, checks: Checks) -> Iterator[SkillProposal]:
        for name, why in self._worse().items():
            yield self._next(name, why, self._history.uses[name], checks)

    def _worse(self) -> dict[str, str]:
        """Skills that got worse or harm, and in which words."""
        worse: dict[str, str] = {}
        for trend in trends(self._history.uses):
            if trend.finding == "worse":
                what = f"Since {trend.since} it does {-10 * trend.change:.1f} of ten actions less than before"
                worse.setdefault(trend.skill, f"{what} (between {-10 * trend.high:.1f} and {-10 * trend.low:.1f}).")
        for name, uses in self._history.uses.items():
            effect = effect_of(uses)
            if effect.finding == "harms" and is_worth_telling(effect) and name not in worse:
                worse[name] = f"After it, {-10 * (effect.effect or 0):.1f} of ten actions go worse than without it."
        return worse

    def _next(self, name: str, why: str, uses: Sequence[WeighedUse], checks: Checks) -> SkillProposal:
        repo = Counter(use.session.repo for use in uses if use.session.repo).most_common(1)
        home = repo[0][0] if repo else ""
        agents = tuple(sorted({use.session.agent for use in uses} & {reader.name for reader in skill_readers()}))
        places = [place for place in self._places(agents, name, {use.session.repo for use in uses}) if _is_file(place)]
        history = self._surroundings(home).history
        steps, seen = procedure_of(checks_after(checks.get(home, ()), uses))
        proposal = SkillProposal(
            kind=ProposalKind.DEGRADED,
            skill=name,
            repo=home,
            agents=agents,
            paths=tuple(shortened(place, self._world.user_home) for place in places),
            old=None,
            new="",
            why=why,
            evidence=evidence_of(seen) or evidence_of_uses(uses),
            sessions=len({use.session.story for use in uses}),
        )
        try:
            text = _common_text(name, places)
        except AfterwitError as error:
            return msgspec.structs.replace(proposal, refusals=(str(error),))
        version = next_version(text, history, steps)
        kept_out = version.refusals
        if version.content == text:
            kept_out = (*kept_out, "Nothing in its text is known to fail, and no steps are known that it lacks.")
        around = self._surroundings(home)
        kept_out = (*kept_out, *refusals(text, version.content, around, self._look(home, version.content)))
        return msgspec.structs.replace(
            proposal, old=text, new=version.content, changes=version.changes, refusals=tuple(dict.fromkeys(kept_out))
        )

    def _user_places(self, agents: Iterable[str], name: str) -> list[Path]:
        roots = (skills_root(agent, self._world.user_home, self._world.environ) for agent in agents)
        return list(dict.fromkeys(root / name / FILE for root in roots))

    def _places(self, agents: Sequence[str], name: str, repos: set[str]) -> list[Path]:
        """Where the file of a skill may lie: below the user's folders, and those of the repositories it is used in."""
        places = self._user_places(agents, name) if "/" not in name else []
        for place in self._checkouts if "/" not in name else ():
            for agent in agents if place.repo in repos else ():
                below = agent_of(agent).skills
                if below is not None and below.project:
                    places.append(place.root / below.project / name / FILE)
        return list(dict.fromkeys(places))

    def _find_saying(self, agents: Sequence[str], repo: str, commands: Sequence[str]) -> str:
        """A skill that names all of these commands; "" where none does."""
        roots = {place.parent.parent for place in self._places(agents, "x", {repo})}
        files = (file for root in sorted(roots) for file in sorted(islice(root.glob(f"*/{FILE}"), _MOST_SKILLS)))
        for file in files:
            text = (look(file).content or b"").decode(errors="replace") if _is_file(file) else ""
            if all(line in text for line in commands):
                return f"{file} says it already."
        return ""

    def _surroundings(self, repo: str) -> TextSurroundings:
        if repo not in self._around:
            texts = {**self._texts.get("", {}), **self._texts.get(repo, {})}
            standing = [
                item.sentence
                for item in all_items(self._db)
                if item.harvester == STANDING
                and item.status is ItemStatus.ACTIVE
                and (item.scope.kind is not ScopeKind.REPO or item.scope.name == repo)
            ]
            self._around[repo] = TextSurroundings(
                repo=repo,
                history=CommandHistory(self._sessions(repo)) if repo else CommandHistory(),
                host=HostText.of(texts),
                standing=HostText.of({f"{at:04d}": words for at, words in enumerate(standing)}),
                redactor=self._redactor,
            )
        return self._around[repo]

    def _sessions(self, repo: str) -> Iterator[StorySession]:
        rows = list(select_sessions(self._db, Selection(repos=frozenset((repo,)))))[-_MOST_SESSIONS:]
        for row in rows:
            ref, digest = self._refs.of(row.id), load_digest(self._db, row)
            if ref is not None and digest is not None:
                yield StorySession(digest, ref.story)

    def _look(self, repo: str, text: str) -> CheckoutLook:
        own: list[Checkout] = [place for place in self._checkouts if repo and place.repo == repo]
        readable = readable_checkouts(self._world, own)
        paths, calls = paths_in(text), project_calls(text)
        if not readable:
            return CheckoutLook()
        missing = find_missing(own, {repo: NamedSubjects(frozenset(), calls)}, readable).get(repo)
        lacking = (path for path in paths if not any(has_path(place.root, path) for place in readable))
        return CheckoutLook(
            is_there=True,
            missing=frozenset(lacking),
            gone=tuple(sorted(missing.calls.items())) if missing is not None else (),
        )


def _is_file(place: Path) -> bool:
    try:
        return look(place).content is not None
    except (AfterwitError, OSError):
        return False


def _common_text(name: str, places: Sequence[Path]) -> str:
    """The text of a skill that lies in one place, or alike in several."""
    if ":" in name:
        raise UsageError("It belongs to a plugin: whoever makes the plugin brings its next version.")
    contents = {look(place).content for place in places}
    if not contents:
        raise UsageError("Its file was not found in any folder in which these agents look for skills.")
    if len(contents) > 1:
        raise UsageError(f"Its files differ: {', '.join(map(str, places))}. Make them alike first.")
    try:
        return (contents.pop() or b"").decode()
    except UnicodeDecodeError as error:
        raise UsageError(f"{places[0]} is no text in UTF-8.") from error
