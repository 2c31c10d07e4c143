"""Skills after which sessions of a repository get on better, or worse, than at comparable moments without them.

Every session is seen, with its uses of skills and its ordinary moments: the latter are what uses are compared with. A
sentence follows only where the interval of the effect leaves out zero and the effect is more likely than not worth
speaking of. It says that this is approximate, because nobody drew the uses by chance. Sessions in which the skill did
the opposite speak against it.
"""

from collections.abc import Iterable, Iterator, Sequence

from afterwit.harvest.harvester import Grouped, evidence_of, grouped_by
from afterwit.harvest.skills.effect import LEAST_SESSIONS, SkillEffect, WeighedUse, effect_of, weighed
from afterwit.harvest.skills.moments import SkillSession, skill_session
from afterwit.harvest.wording import quoted, sentence, shown_repo
from afterwit.model.digest import Digest
from afterwit.model.knowledge import Category, Channel, Draft, Evidence, Scope, ScopeKind, Sighting

LEAST_CONFIDENCE = 0.5
_TEN = 10


class Skills:
    name = "skills"
    version = 1
    minimum_stories = LEAST_SESSIONS
    seen = SkillSession

    def see(self, digest: Digest) -> Iterable[Grouped[SkillSession]]:
        session = skill_session(digest)
        return [Grouped(f"{digest.agent}\n{digest.repo}", session)] if session else []

    def conclude(self, group: str, sightings: Sequence[Sighting[SkillSession]]) -> Iterable[Draft]:
        agent, _, repo = group.partition("\n")
        scope = Scope(ScopeKind.REPO, repo) if repo else Scope(ScopeKind.AGENT, agent)
        for name, uses in weighed(sightings).items():
            effect = effect_of(uses)
            text = _sentence(name, agent, repo, effect)
            if text:
                yield Draft(
                    harvester=self.name,
                    key=(agent, name),
                    scope=scope,
                    category=Category.PATTERN,
                    sentence=text,
                    channel=Channel.OUTCOME,
                    evidence=tuple(_evidence(uses, effect)),
                    agents=(agent,),
                )


def is_worth_telling(effect: SkillEffect) -> bool:
    return effect.finding in ("helps", "harms") and effect.confidence > LEAST_CONFIDENCE


def _sentence(name: str, agent: str, repo: str, effect: SkillEffect) -> str:
    if effect.effect is None or not is_worth_telling(effect):
        return ""
    where = f"in {shown_repo(repo)}" if repo else "outside of repositories"
    way = "better" if effect.effect > 0 else "worse"
    return sentence(
        f"After the skill {quoted(name)}, {agent} got on {way} {where} than at comparable moments without it: by about"
        f" {abs(effect.effect) * _TEN:.1f} of ten actions, in {effect.uses} uses (approximate: no trial by chance)."
    )


def _evidence(uses: Sequence[WeighedUse], effect: SkillEffect) -> Iterator[Evidence]:
    """One piece for each session, by what its uses did on average."""
    compared = [use for use in uses if use.reinforcement is not None]
    for same in grouped_by(compared, lambda use: use.session.native_id).values():
        mean = sum(use.reinforcement or 0.0 for use in same) / len(same)
        seen = SkillSession(
            at=same[0].use.at,
            excerpt=f"{same[0].use.name}: {mean * _TEN:+.1f} of ten actions against comparable moments",
            task_type=same[0].task_type,
            outcome=same[0].outcome,
        )
        is_against = mean * (effect.effect or 0.0) <= 0
        yield evidence_of(Sighting(same[0].session, seen), Channel.OUTCOME, is_against=is_against)
