"""Rules of linters and tests that a repository keeps enforcing.

One failing rule is work; a rule that fails in story after story is a habit to learn. Rules that one command puts right
are told together, with the command. Of the others is said what the rule wants, in words of ours where we have them, and
which command reports it. What the tool says is never repeated, and only ids are named whose tool and form are known
(`rule_ids`): both are written by whoever wrote the tool. The same defect met in two stories is one. What every agent
knows anyway is left to `everyday_rules`.
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, TypeVar

from afterwit.harvest.commands.forms import is_own_task
from afterwit.harvest.commands.invocations import runs_in
from afterwit.harvest.commands.power import is_tellable
from afterwit.harvest.files.file_wording import shown_repo
from afterwit.harvest.harvester import Grouped, evidence_of
from afterwit.harvest.rules.rule_advice import Advice, advice_for, is_everyday, is_formatting, is_momentary
from afterwit.harvest.rules.rule_ids import is_known_rule
from afterwit.harvest.rules.rule_reports import RuleName, RuleSeen, commands_seen, reports_in, rule_seen
from afterwit.harvest.sightings import in_order, stories_in
from afterwit.harvest.wording import quoted, sentence
from afterwit.model.digest import Digest
from afterwit.model.knowledge import Category, Channel, Draft, Evidence, Item, Scope, ScopeKind, Sighting, Trigger

_MOST_RULES = 24  # a session
_MOST_NAMED = 4
_SURE_STORIES = 2
_KEEPS_STORIES = 2
_OWN_TASK_COUNTS = 2.0  # times
_NAMES = re.compile(r"[a-z][A-Z]|\w[._]\w|[`'\"\d]|\(\)")
_HALF_LIFE_DAYS = 60.0
_DAY_MS = 86_400_000
D = TypeVar("D", Draft, Item)
Rows = Sequence[Sighting[RuleSeen]]


class Rules:
    name = "rules"
    version = 3
    seen = RuleSeen
    minimum_stories = 3

    def see(self, digest: Digest) -> Iterable[Grouped[RuleSeen]]:
        if not digest.repo:
            return
        runs = list(runs_in(digest))
        reports = reports_in(digest)
        telling = [name for name in reports if not is_momentary(name.rule) and not is_left_to_others(name)]
        for name in telling[:_MOST_RULES]:
            yield Grouped(digest.repo, rule_seen(digest, name, reports, runs))
        yield from (Grouped(digest.repo, seen) for seen in commands_seen(runs))

    def conclude(self, group: str, sightings: Sequence[Sighting[RuleSeen]]) -> Iterable[Draft]:
        rules = [_Rule(name, rows) for name, rows in by_rule(sightings).items() if is_known_rule(name.rule)]
        mends = _mends(rules)
        for command in sorted(set(mends.values())):
            yield _mended_draft(self.name, group, command, [rule for rule in rules if mends.get(rule.name) == command])
        for rule in rules:
            if rule.name not in mends and not is_everyday(*rule.name):
                yield from _draft(self.name, group, rule, _reporter(rule, rules, sightings))


class _Rule(NamedTuple):
    """A rule, and where it failed."""

    name: RuleName
    rows: list[Sighting[RuleSeen]]

    @property
    def advice(self) -> Advice | None:
        return advice_for(*self.name)

    @property
    def tool(self) -> str:
        return self.advice.tool if self.advice else ""

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        return evidence_for(self.rows, Channel.OUTCOME if self.advice else Channel.TOOL)


def is_left_to_others(name: RuleName) -> bool:
    """Whether a rule is everyday and no tool puts it right."""
    advice = advice_for(*name)
    return is_everyday(*name) and not (advice and advice.is_fixable)


def by_rule(sightings: Rows) -> dict[RuleName, list[Sighting[RuleSeen]]]:
    """Where each rule failed, in order."""
    found: defaultdict[RuleName, list[Sighting[RuleSeen]]] = defaultdict(list)
    for one in in_order(sightings):
        if one.seen.rule:
            found[RuleName(one.seen.rule, one.seen.check)].append(one)
    return dict(sorted(found.items()))


def evidence_for(rows: Rows, channel: Channel) -> tuple[Evidence, ...]:
    """Where a rule has several messages, one that names something names the defect: met in two stories, it is one.
    What a clean-up met is no more than a tool's output."""
    has_several = len({row.seen.excerpt for row in rows}) > 1
    return tuple(
        evidence_of(
            row,
            Channel.TOOL if row.seen.is_clean_up else channel,
            source=row.seen.excerpt if has_several and _NAMES.search(row.seen.excerpt) else "",
        )
        for row in rows
    )


def where(repo: str) -> str:
    return f"In {shown_repo(repo)}"


def fails(rows: Rows) -> str:
    ordinary = stories_in(row for row in rows if not row.seen.is_clean_up)
    return "keeps failing" if len(ordinary) >= _KEEPS_STORIES else "has failed"


def most_biting(drafts: Iterable[D], limit: int = 8) -> list[D]:
    """Of one repository's rules, those that bite most: in many stories, and of late."""
    some = list(drafts)
    newest = max((piece.at_ms for one in some for piece in one.evidence), default=0)
    return sorted(some, key=lambda one: (-_bite(one, newest), one.sentence))[:limit]


def _bite(one: Draft | Item, newest: int) -> float:
    """Stories, each counted less the longer ago it was."""
    latest: dict[str, int] = {}
    for piece in one.evidence:
        latest[piece.origin] = max(latest.get(piece.origin, 0), piece.at_ms)
    return sum(math.exp2((at_ms - newest) / _DAY_MS / _HALF_LIFE_DAYS) for at_ms in latest.values())


def _draft(harvester: str, repo: str, one: _Rule, reporter: str) -> Iterator[Draft]:
    rule, check = one.name
    named = f"{quoted(rule)} ({check})" if check else quoted(rule)
    text = f"{where(repo)}, {named} {fails(one.rows)}{f': {one.advice.text}' if one.advice else ''}."
    yield Draft(
        harvester=harvester,
        key=(rule, check) if check else (rule,),
        scope=Scope(ScopeKind.REPO, repo),
        category=Category.PITFALL,
        sentence=sentence(f"{text} {quoted(reporter)} reports it." if quoted(reporter) else text),
        channel=Channel.OUTCOME if one.advice else Channel.TOOL,
        triggers=(Trigger(rule=rule),),
        evidence=one.evidence,
        saves=2.0,
    )


def _mended_draft(harvester: str, repo: str, command: str, rules: Sequence[_Rule]) -> Draft:
    """All rules that one command puts right."""
    ranked = sorted(rules, key=lambda one: (-len(stories_in(one.rows)), one.name))
    named = ", ".join(quoted(one.name.rule) for one in ranked[:_MOST_NAMED])
    rows = [row for rule in rules for row in rule.rows]
    text = f"{where(repo)}, run {quoted(command)} before linting: it puts right what {fails(rows)} ({named})."
    return Draft(
        harvester=harvester,
        key=("mended by", command),
        scope=Scope(ScopeKind.REPO, repo),
        category=Category.PITFALL,
        sentence=sentence(text),
        channel=Channel.OUTCOME,
        triggers=tuple(Trigger(rule=one.name.rule) for one in ranked),
        advice="" if "<" in command else command,
        evidence=tuple(piece for one in ranked for piece in one.evidence),
        saves=2.0,
    )


def _mends(rules: Sequence[_Rule]) -> dict[RuleName, str]:
    """The command that puts each rule right: seen to, or the one that does so for other rules of the same tool. One
    that was only seen to format does nothing but that."""
    seen = {rule.name: command for rule in rules if is_tellable(command := _mend(rule))}
    of_tool: defaultdict[tuple[str, bool], Counter[str]] = defaultdict(Counter)
    for rule in rules:
        if rule.name in seen and rule.tool:
            of_tool[rule.tool, is_formatting(rule.name.rule)][seen[rule.name]] += len(stories_in(rule.rows))
    for rule in rules:
        known = of_tool.get((rule.tool, is_formatting(rule.name.rule)))
        if rule.name not in seen and rule.advice and rule.advice.is_fixable and known:
            seen[rule.name] = _most(known)
    return seen


def _mend(one: _Rule) -> str:
    """A command that was seen to mend the rule: twice with nothing else done, or once where its tool is known to."""
    sure, likely = Counter[str](), Counter[str]()
    for story in stories_in(one.rows):
        mended = {(seen.mended_by, seen.is_sure) for session, seen in one.rows if session.story == story}
        sure.update({by for by, is_sure in mended if by and is_sure})
        likely.update({by for by, _ in mended if by})
    is_known = one.advice is not None and one.advice.is_fixable
    return _most(likely if is_known else Counter({by: n for by, n in sure.items() if n >= _SURE_STORIES}))


def _reporter(one: _Rule, rules: Sequence[_Rule], sightings: Rows) -> str:
    """Of the commands seen to report rules of the same tool, the one that most stories run; own tasks go first."""
    same = [other for other in rules if other is one or (one.tool and other.tool == one.tool)]
    reporting = {seen.by for other in same for _, seen in other.rows if is_tellable(seen.by)}
    stories: defaultdict[str, set[str]] = defaultdict(set)
    for session, seen in sightings:
        for line in (*seen.ran, seen.by):
            stories[line].add(session.story)
    counts = {line: len(stories[line]) * (_OWN_TASK_COUNTS if is_own_task(line) else 1.0) for line in reporting}
    return min(counts, key=lambda line: (-counts[line], line), default="")


def _most(counts: Counter[str]) -> str:
    return min(counts, key=lambda value: (-counts[value], value), default="")
