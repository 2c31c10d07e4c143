"""Makes items of drafts: belief, authority, and a status with its reason.

A person's decision comes first; then what is gone, what came from elsewhere, what was contradicted; then the quorum
and the belief. The rules are in `_judge`, in the order in which they apply. `weigh_all` looks at a whole set and
settles what takes the place of what. Pure: everything it needs is in the context.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import msgspec

from afterwit.harvest.harvester import id_of
from afterwit.knowledge.belief import (
    APPROVAL,
    DAY_MS,
    HALF_LIFE_DAYS,
    authority_of,
    backing,
    belief_by,
    fade,
    prior_of,
    quorum,
    rank,
)
from afterwit.knowledge.gone import NOTHING_GONE, GoneSubjects, gone_reason
from afterwit.knowledge.likeness import Meaning, meaning
from afterwit.knowledge.merging import Union
from afterwit.knowledge.whose_words import is_persons, speaks_for
from afterwit.model.knowledge import (
    EVERYWHERE,
    READ,
    SHARED_BY,
    Authority,
    Belief,
    Channel,
    Draft,
    Evidence,
    HostLine,
    Item,
    ItemStatus,
    Scope,
)
from afterwit.store.decisions import APPROVALS, Decision, Will, will_of

MINIMUM_STORIES = 2
THRESHOLD = 0.6
_CONTRADICTED = 0.4
_NEVER = 1_000  # stories: a harvester that asks for so many wants no item to be active by itself
_SHARED = frozenset(Draft.__struct_fields__) & frozenset(Item.__struct_fields__)  # what an item has from its draft
_MECHANICAL = (Channel.OUTCOME, Channel.USER)


class WeighingContext(NamedTuple):
    """What weighing needs to know beside the drafts. Mappings are by the item's id."""

    now_ms: int
    echoes: Mapping[str, frozenset[str]] = {}  # stories that were shown the item
    gone: GoneSubjects = NOTHING_GONE
    host_lines: Mapping[str, tuple[HostLine, ...]] = {}  # that say the item already, or otherwise
    decisions: Mapping[str, Sequence[Decision]] = {}
    suspects: Mapping[str, str] = {}  # why the gate wants a person to look first
    contradicted: Mapping[str, tuple[str, ...]] = {}  # items that were found to say the opposite
    rejected_by: Mapping[str, str] = {}  # who rejected the item for all that share it
    vouched: frozenset[str] = frozenset()  # items from elsewhere that may be used unasked, as a quote
    minimum_stories: Mapping[str, int] = {}  # by harvester
    threshold: float = THRESHOLD
    repeated: Mapping[str, int] = {}  # sessions in which the user said the item again after it had been told
    last_work_ms: Mapping[Scope, int] = {}  # when there was last work in a scope; time stands still there since

    def moment_in(self, scope: Scope) -> int:
        """The time by which knowledge of a scope ages: what nobody works on does not grow old."""
        return min(self.now_ms, self.last_work_ms.get(scope, self.now_ms))


class _Weighed(NamedTuple):
    """A draft with all that its status depends on."""

    draft: Draft
    will: Will
    belief: Belief
    unfaded: Belief  # as if nothing had faded; of no interest where enough is left
    support: int  # origins that may stand behind its words
    minimum: int
    gone: str
    suspect: str
    rejected_by: str
    is_vouched: bool
    age_days: int
    half_life_days: float
    threshold: float


def weigh_all(unions: Iterable[Union], context: WeighingContext) -> tuple[Item, ...]:
    """The items of a set, by id, with what took the place of what."""
    return relate(each_weighed(unions, context))


def each_weighed(unions: Iterable[Union], context: WeighingContext) -> dict[str, Item]:
    """The items, each for itself."""
    return {item.id: item for item in (weigh(union.draft, context, union.absorbed) for union in unions)}


def relate(items: Mapping[str, Item]) -> tuple[Item, ...]:
    """The items, by id, with what took the place of what among them."""
    heads = {old: item.id for item in items.values() for old in item.merged}
    replaced: dict[str, Item] = {}
    waiting: dict[str, Item] = {}
    for item in sorted(items.values(), key=lambda item: (item.last_ms, item.id)):
        for old in item.supersedes:
            earlier = items.get(heads.get(old, old))
            if earlier is not None and _waits_beside(item, earlier):
                reason = f"would replace {earlier.id}, which a person stands behind: waits for your approval"
                waiting[item.id] = msgspec.structs.replace(item, status=ItemStatus.QUARANTINED, reason=reason)
            elif earlier is not None and item.id not in replaced and _takes_place(item, earlier):
                replaced[earlier.id] = msgspec.structs.replace(
                    earlier, status=ItemStatus.SUPERSEDED, reason=f"replaced by {item.id}", superseded_by=item.id
                )
    after = {**items, **_doubles(items), **replaced, **waiting}
    return tuple(_beside_opposites(item, after, heads) for _, item in sorted(after.items()))


def _beside_opposites(item: Item, items: Mapping[str, Item], heads: Mapping[str, str]) -> Item:
    """The item with those of its opposites that are held as well. Of two that contradict each other neither goes by
    itself; once a person has decided about one of them, there is nothing to look at."""
    if not item.contradicts:
        return item
    held = (items.get(heads.get(name, name)) for name in item.contradicts) if _is_open(item) else ()
    names = {other.id for other in held if other is not None and other.id != item.id and _is_open(other)}
    return msgspec.structs.replace(item, contradicts=tuple(sorted(names)))


def _is_open(item: Item) -> bool:
    return _is_held(item) and not item.is_decided


def _doubles(items: Mapping[str, Item]) -> dict[str, Item]:
    """What a model read and says the same as an item in use that was found otherwise: that one is enough. They are not
    merged, so that neither lends the other its authority."""
    in_use: dict[tuple[Scope, Meaning], str] = {}
    for item in items.values():
        if item.harvester != READ and item.status is ItemStatus.ACTIVE:
            in_use[item.scope, meaning(item.sentence)] = item.id
    doubled = {}
    for item in items.values():
        if item.harvester == READ and _is_open(item):
            said = meaning(item.sentence)
            first = in_use.get((item.scope, said)) or in_use.get((EVERYWHERE, said))
            if first is not None and speaks_for(items[first], item):
                doubled[item.id] = msgspec.structs.replace(
                    item, status=ItemStatus.SUPERSEDED, reason=f"{first} says the same", superseded_by=first
                )
    return doubled


def weigh(draft: Draft, context: WeighingContext, absorbed: Sequence[str] = ()) -> Item:
    """The item of one draft. `absorbed` are the ids of others that were merged into it: what was decided about them
    holds for it."""
    own = id_of(draft)
    ids = (own, *absorbed)
    will = will_of(decision for name in ids for decision in context.decisions.get(name, ()))
    draft = will.changes.apply(draft)
    echoes = frozenset().union(*(context.echoes.get(name, frozenset()) for name in ids))
    weighed = _weigh(draft, ids, will, echoes, context)
    status, reason = _judge(weighed)
    times = [piece.at_ms or piece.session.at_ms for piece in draft.evidence]
    host_lines = tuple(dict.fromkeys(line for name in ids for line in context.host_lines.get(name, ())))
    return Item(
        **{field: getattr(draft, field) for field in _SHARED},
        id=own,
        status=status,
        authority=Authority.OBSERVATION
        if draft.harvester == READ and draft.channel is Channel.OUTCOME and not will.is_approved
        else authority_of(
            draft.channel,
            draft.evidence,
            echoes=echoes,
            is_decided=will.is_approved,
            is_tested=is_put_to_test(draft),
        ),
        belief=weighed.belief,
        first_ms=min(filter(None, times), default=0),
        last_ms=max(times, default=0),
        reason=reason,
        merged=tuple(absorbed),
        is_pinned=will.is_pinned,
        is_decided=will.is_approved or will.is_pinned,
        contradicts=tuple(other for name in ids for other in context.contradicted.get(name, ())),
        is_known_to_host=any(not line.is_otherwise and not line.repo for line in host_lines),
        host_lines=host_lines,
        repeated=max(context.repeated.get(name, 0) for name in ids),
    )


def _weigh(draft: Draft, ids: Sequence[str], will: Will, echoes: frozenset[str], context: WeighingContext) -> _Weighed:
    half_life = HALF_LIFE_DAYS[draft.category]
    is_tested = is_put_to_test(draft)
    prior = prior_of(draft.harvester, draft.channel, draft.stated_confidence)
    now = context.moment_in(draft.scope)
    belief = belief_by(
        prior,
        draft.evidence,
        now_ms=now,
        half_life_days=None if will.is_pinned else half_life,
        echoes=echoes,
        is_tested=is_tested,
    )
    if will.verdict is not None and will.verdict.kind in APPROVALS:
        fading = 1.0 if will.is_pinned else fade(will.verdict.at_ms, now, half_life)
        belief = Belief(belief.a + APPROVAL * fading, belief.b)
    stated_minimum = MINIMUM_STORIES if draft.channel is Channel.USER and draft.harvester != READ else 1
    return _Weighed(
        draft=draft,
        will=will,
        belief=belief,
        unfaded=belief
        if belief.mean >= context.threshold
        else belief_by(prior, draft.evidence, now_ms=now, half_life_days=None, echoes=echoes, is_tested=is_tested),
        support=quorum(backing(draft.channel, draft.evidence), echoes=echoes, is_tested=is_tested),
        minimum=max(stated_minimum, _minimum_of(draft, context)),
        gone=gone_reason(draft, context.gone),
        suspect=next((context.suspects[own] for own in ids if own in context.suspects), ""),
        rejected_by=next((context.rejected_by[own] for own in ids if own in context.rejected_by), ""),
        is_vouched=not context.vouched.isdisjoint(ids),
        age_days=_age_days(draft.evidence, now),
        half_life_days=half_life,
        threshold=context.threshold,
    )


def _minimum_of(draft: Draft, context: WeighingContext) -> int:
    return context.minimum_stories.get(draft.harvester, MINIMUM_STORIES)


def _judge(weighed: _Weighed) -> tuple[ItemStatus, str]:
    """The status and why."""
    draft, will = weighed.draft, weighed.will
    if will.why_out:
        return ItemStatus.RETIRED, will.why_out
    if will.is_pinned:
        return ItemStatus.ACTIVE, "pinned by a person"
    if draft.is_closed:
        return ItemStatus.RETIRED, "answered"
    if weighed.gone:
        return ItemStatus.STALE, weighed.gone
    if not will.is_approved and weighed.rejected_by:
        return ItemStatus.RETIRED, f"rejected by {weighed.rejected_by} for all who share it"
    if not will.is_approved and (weighed.suspect or draft.channel is Channel.IMPORTED):
        if weighed.is_vouched and not weighed.suspect:
            return ItemStatus.ACTIVE, f"shared by {_sharers(draft)}, whom your settings trust"
        return ItemStatus.QUARANTINED, weighed.suspect or f"{_brought(draft)}: waits for your approval"
    if weighed.belief.mean < _CONTRADICTED and any(piece.is_against for piece in draft.evidence):
        against = {piece.session.story for piece in draft.evidence if piece.is_against}
        return ItemStatus.STALE, f"contradicted by {_stories(len(against))}"
    if will.is_approved:
        return ItemStatus.ACTIVE, "approved by a person"
    return _by_evidence(weighed)


def _brought(draft: Draft) -> str:
    sharers = _sharers(draft)
    return f"shared by {sharers}" if sharers else "imported"


def _sharers(draft: Draft) -> str:
    """Who shares it, by what stands behind it."""
    names = {piece.source.removeprefix(SHARED_BY) for piece in draft.evidence if piece.source.startswith(SHARED_BY)}
    return ", ".join(sorted(names))


def _by_evidence(weighed: _Weighed) -> tuple[ItemStatus, str]:
    """The status of an item that no person has decided about.

    What faded is stale after a half-life without a sighting; what never was active, after two.
    """
    draft, support = weighed.draft, weighed.support
    was_active = support >= weighed.minimum and weighed.unfaded.mean >= weighed.threshold
    if (
        weighed.belief.mean < weighed.threshold
        and weighed.age_days >= (1 if was_active else 2) * weighed.half_life_days
    ):
        return ItemStatus.STALE, f"not seen for {weighed.age_days} days"
    if not _may_be_active(draft):
        return ItemStatus.CANDIDATE, f"{draft.channel.in_words}: waits for your approval"
    if weighed.minimum >= _NEVER:
        return ItemStatus.CANDIDATE, "used only with your approval"
    if support < weighed.minimum:
        return ItemStatus.CANDIDATE, f"seen in {_stories(support)}, needs {weighed.minimum}"
    if weighed.belief.mean < weighed.threshold:
        return ItemStatus.CANDIDATE, f"confidence {weighed.belief.mean:.2f}, needs {weighed.threshold:.2f}"
    return ItemStatus.ACTIVE, f"seen in {_stories(support)}"


def _may_be_active(draft: Draft) -> bool:
    """Verified outcomes and a user's words may, and as an observation what tools say of a rule, and what a model read
    in an agent's words. What it read in an output, a file, a page or a paste waits, whatever it says."""
    if draft.harvester == READ:
        return draft.channel in (*_MECHANICAL, Channel.ASSISTANT)
    is_rule = draft.channel is Channel.TOOL and any(trigger.rule for trigger in draft.triggers)
    return draft.channel in _MECHANICAL or is_rule


def is_put_to_test(draft: Draft | Item) -> bool:
    """Whether being told it puts it to the test: a fix for a failure works, or does not."""
    return (
        draft.channel is Channel.OUTCOME and bool(draft.advice) and any(trigger.signature for trigger in draft.triggers)
    )


def _takes_place(later: Item, earlier: Item) -> bool:
    """Whether an item may replace another: as trusted, as far along, not older, wherever that holds, not others' words.
    What a model read replaces what it did not only in the user's words, and a person's only once one approved it."""
    if later.id == earlier.id or earlier.is_pinned or later.last_ms < earlier.last_ms:
        return False
    if not speaks_for(later, earlier) or later.scope not in (earlier.scope, EVERYWHERE):
        return False
    is_read = later.harvester == READ and not later.is_decided
    if is_read and (is_persons(earlier) or (earlier.harvester != READ and later.channel is not Channel.USER)):
        return False
    was_held = _is_held(earlier) or earlier.status is ItemStatus.STALE
    return _is_held(later) and was_held and (later.is_decided or rank(later.channel) >= rank(earlier.channel))


def _waits_beside(later: Item, earlier: Item) -> bool:
    """Whether a model read what would replace the words of a person: the older stay in use until they decide."""
    is_proposed = later.harvester == READ and not later.is_decided and later.id != earlier.id
    return is_proposed and is_persons(earlier) and _is_held(later) and _is_held(earlier)


def _is_held(item: Item) -> bool:
    return item.status in (ItemStatus.ACTIVE, ItemStatus.CANDIDATE)


def _age_days(evidence: Iterable[Evidence], now_ms: int) -> int:
    """Since it was last seen to hold."""
    last = max((piece.at_ms or piece.session.at_ms for piece in evidence if not piece.is_against), default=0)
    return max(0, now_ms - last) // DAY_MS if last else 0


def _stories(number: int) -> str:
    return f"{number} independent session{'' if number == 1 else 's'}"
