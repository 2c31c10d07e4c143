"""Rules of linters and compilers that a repository keeps enforcing.

**LinterRules.** One failing rule is work; a rule that fails in story after story is a habit to learn. Rules that one
command puts right are told together, with the command. Of the others is said what the rule wants, in words of ours
where we have them, and which command reports it. What the tool says is never repeated, and only ids are named whose
tool and form are known (`rule_advice`): both are written by whoever wrote the tool. The same defect met in two stories
is one.

**EverydayRules.** That an unused variable is to be removed stands in the message, and a type error is the work of the
moment. But where such reports keep coming, it is worth a reminder at a task to look before the check does. So these
items never stand by themselves, however often they are seen. Checks of one linter are told together; so are codes of
compilers that want the same, with the command that reports them earliest, and so are those of which no more is known.
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, TypeVar

from afterwit.harvest.commands.forms import OWN_TASK_COUNTS, is_own_task
from afterwit.harvest.commands.invocations import CommandRun, runs_in
from afterwit.harvest.commands.power import is_tellable
from afterwit.harvest.commands.purposes import Purpose
from afterwit.harvest.harvester import (
    NEVER_ALONE,
    Grouped,
    commonest,
    evidence_of,
    grouped_by,
    in_order,
    ranked,
    stories_in,
    story_counts,
)
from afterwit.harvest.rule_advice import (
    Advice,
    advice_for,
    is_compiling,
    is_everyday,
    is_formatting,
    is_known_rule,
    is_momentary,
    theme_of,
)
from afterwit.harvest.rule_reports import RuleName, RuleSeen, commands_seen, reports_in, rule_seen
from afterwit.harvest.wording import quoted, sentence, shown_repo
from afterwit.model.digest import Digest, Rule
from afterwit.model.knowledge import Category, Channel, Draft, Evidence, Item, Scope, ScopeKind, Sighting, Trigger

COMPILER = "compiler"
_MOST_RULES = 24  # a session
_MOST_EVERYDAY = 8  # a session
_MOST_NAMED = 4
_MOST_CODES = 6
_SURE_STORIES = 2
_KEEPS_STORIES = 2
_NAMES = re.compile(r"[a-z][A-Z]|\w[._]\w|[`'\"\d]|\(\)")
_COMPILES = (Purpose.TYPES, Purpose.BUILD, Purpose.CHECK)
_SAVES = 2.0
_HALF_LIFE_DAYS = 60.0
_DAY_MS = 86_400_000
D = TypeVar("D", Draft, Item)
Rows = Sequence[Sighting[RuleSeen]]


class LinterRules:
    name = "rules"
    version = 3
    seen = RuleSeen
    minimum_stories = 3

    def see(self, digest: Digest) -> Iterable[Grouped[RuleSeen]]:
        if not digest.repo:
            return
        runs = list(runs_in(digest))
        reports = reports_in(digest)
        telling = [name for name in reports if not is_momentary(name.rule) and not _is_left_to_everyday(name)]
        for name in telling[:_MOST_RULES]:
            yield Grouped(digest.repo, rule_seen(digest, name, reports, runs))
        yield from (Grouped(digest.repo, seen) for seen in commands_seen(runs))

    def conclude(self, group: str, sightings: Rows) -> Iterable[Draft]:
        rules = [_Rule(name, rows) for name, rows in _by_rule(sightings).items() if is_known_rule(name.rule)]
        mends = _mends(rules)
        for command in sorted(set(mends.values())):
            yield _mended_draft(group, command, [rule for rule in rules if mends.get(rule.name) == command])
        for rule in rules:
            if rule.name not in mends and not is_everyday(*rule.name):
                yield _draft(group, rule, _reporter(rule, rules, sightings))


class EverydayRules:
    name = "everyday-rules"
    version = 2
    seen = RuleSeen
    minimum_stories = NEVER_ALONE

    def see(self, digest: Digest) -> Iterable[Grouped[RuleSeen]]:
        reports = reports_in(digest) if digest.repo else {}
        runs = list(runs_in(digest)) if reports else []
        everyday = [name for name in reports if _is_left_to_everyday(name) and not is_momentary(name.rule)]
        for name in everyday[:_MOST_EVERYDAY]:
            yield Grouped(f"{digest.repo}\n{name.rule}", rule_seen(digest, name, reports, runs))
        for theme, codes in _themes(reports).items():
            first = reports[RuleName(codes[0], "")][0]
            yield Grouped(f"{digest.repo}\n{theme}", _compiling(codes, first, runs))

    def conclude(self, group: str, sightings: Rows) -> Iterable[Draft]:
        repo, _, matter = group.partition("\n")
        if any(sighting.seen.codes for sighting in sightings):
            yield from _theme_draft(repo, matter, in_order(sightings))
            return
        wants = [_wanted(name) for name in _by_rule(sightings)]
        if any(wants):
            rows = in_order(sightings)
            text = f"{quoted(matter)} {_fails(rows)}: {'; '.join(filter(None, wants))}."
            yield _everyday_draft(repo, matter, text, rows)


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
    def channel(self) -> Channel:
        return Channel.OUTCOME if self.advice else Channel.TOOL

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        return _evidence_for(self.rows, self.channel)


def _is_left_to_everyday(name: RuleName) -> bool:
    """Whether every agent knows a rule, and no tool puts it right."""
    advice = advice_for(*name)
    return is_everyday(*name) and not (advice and advice.is_fixable)


def _by_rule(sightings: Rows) -> dict[RuleName, list[Sighting[RuleSeen]]]:
    """Where each rule failed, in order."""
    failed = (sighting for sighting in in_order(sightings) if sighting.seen.rule)
    return dict(sorted(grouped_by(failed, lambda row: RuleName(row.seen.rule, row.seen.check)).items()))


def _evidence_for(rows: Rows, channel: Channel) -> tuple[Evidence, ...]:
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


def _where(repo: str) -> str:
    return f"In {shown_repo(repo)}"


def _fails(rows: Rows) -> str:
    ordinary = stories_in(row for row in rows if not row.seen.is_clean_up)
    return "keeps failing" if len(ordinary) >= _KEEPS_STORIES else "has failed"


def most_failed(rules: Iterable[D], limit: int = 8) -> list[D]:
    """Of one repository's rules, those that fail in many stories, and of late."""
    rules = list(rules)
    newest = max((piece.at_ms for rule in rules for piece in rule.evidence), default=0)
    return sorted(rules, key=lambda rule: (-_late_stories(rule, newest), rule.sentence))[:limit]


def _late_stories(rule: Draft | Item, newest: int) -> float:
    """Stories, each counted less the longer ago it was."""
    latest: dict[str, int] = {}
    for piece in rule.evidence:
        latest[piece.origin] = max(latest.get(piece.origin, 0), piece.at_ms)
    return sum(math.exp2((at_ms - newest) / _DAY_MS / _HALF_LIFE_DAYS) for at_ms in latest.values())


def _draft(repo: str, rule: _Rule, reporter: str) -> Draft:
    name, check = rule.name
    named = f"{quoted(name)} ({check})" if check else quoted(name)
    text = f"{_where(repo)}, {named} {_fails(rule.rows)}{f': {rule.advice.text}' if rule.advice else ''}."
    return Draft(
        harvester=LinterRules.name,
        key=(name, check) if check else (name,),
        scope=Scope(ScopeKind.REPO, repo),
        category=Category.PITFALL,
        sentence=sentence(f"{text} {quoted(reporter)} reports it." if quoted(reporter) else text),
        channel=rule.channel,
        triggers=(Trigger(rule=name),),
        evidence=rule.evidence,
        saves=_SAVES,
    )


def _mended_draft(repo: str, command: str, rules: Sequence[_Rule]) -> Draft:
    """All rules that one command puts right."""
    by_stories = sorted(rules, key=lambda rule: (-len(stories_in(rule.rows)), rule.name))
    named = ", ".join(quoted(rule.name.rule) for rule in by_stories[:_MOST_NAMED])
    rows = [row for rule in rules for row in rule.rows]
    text = f"{_where(repo)}, run {quoted(command)} before linting: it puts right what {_fails(rows)} ({named})."
    return Draft(
        harvester=LinterRules.name,
        key=("mended by", command),
        scope=Scope(ScopeKind.REPO, repo),
        category=Category.PITFALL,
        sentence=sentence(text),
        channel=Channel.OUTCOME,
        triggers=tuple(Trigger(rule=rule.name.rule) for rule in by_stories),
        advice="" if "<" in command else command,
        evidence=tuple(piece for rule in by_stories for piece in rule.evidence),
        saves=_SAVES,
    )


def _mends(rules: Sequence[_Rule]) -> dict[RuleName, str]:
    """The command that puts each rule right: seen to, or the one that does so for other rules of the same tool. One
    that was only seen to format does nothing but that."""
    mends = {rule.name: command for rule in rules if is_tellable(command := _mend(rule))}
    of_tool: defaultdict[tuple[str, bool], Counter[str]] = defaultdict(Counter)
    for rule in rules:
        if rule.name in mends and rule.tool:
            of_tool[rule.tool, is_formatting(rule.name.rule)][mends[rule.name]] += len(stories_in(rule.rows))
    for rule in rules:
        commands = of_tool.get((rule.tool, is_formatting(rule.name.rule)))
        if rule.name not in mends and rule.advice and rule.advice.is_fixable and commands:
            mends[rule.name] = commonest(commands)
    return mends


def _mend(rule: _Rule) -> str:
    """A command that was seen to mend the rule: twice with nothing else done, or once where its tool is known to."""
    if rule.advice is not None and rule.advice.is_fixable:
        return commonest(story_counts((seen.mended_by, session.story) for session, seen in rule.rows))
    sure = story_counts((seen.mended_by, session.story) for session, seen in rule.rows if seen.is_sure)
    return commonest({command: stories for command, stories in sure.items() if stories >= _SURE_STORIES})


def _reporter(rule: _Rule, rules: Sequence[_Rule], sightings: Rows) -> str:
    """Of the commands seen to report rules of the same tool, the one that most stories run; own tasks go first."""
    same = [other for other in rules if other is rule or (rule.tool and other.tool == rule.tool)]
    reporting = {seen.by for other in same for _, seen in other.rows if is_tellable(seen.by)}
    stories = story_counts((line, session.story) for session, seen in sightings for line in (*seen.ran, seen.by))
    return commonest({line: stories[line] * (OWN_TASK_COUNTS if is_own_task(line) else 1.0) for line in reporting})


def _wanted(name: RuleName) -> str:
    """What a rule wants, with the check of a linter of many."""
    advice = advice_for(*name)
    named = f" ({name.check})" if name.check else ""
    return f"{advice.text}{named}" if advice else ""


def _themes(reports: Iterable[RuleName]) -> dict[str, list[str]]:
    """The codes of compilers among the reports, by what they want."""
    codes = (name.rule for name in reports if theme_of(name.rule) or is_compiling(name.rule))
    return grouped_by(codes, lambda code: f"{COMPILER} {theme.name}" if (theme := theme_of(code)) else COMPILER)


def _compiling(codes: Sequence[str], first: Rule, runs: Sequence[CommandRun]) -> RuleSeen:
    checks = [run for run in runs if run.purpose in _COMPILES and not run.form.is_part and run.ran]
    by = min(checks, key=lambda run: (_COMPILES.index(run.purpose), run.at)).line if checks else ""
    return RuleSeen(at=first.at, excerpt=first.message, by=by, codes=tuple(codes[:_MOST_CODES]))


def _theme_draft(repo: str, matter: str, rows: Rows) -> Iterator[Draft]:
    """One theme, or the codes that have none: of those there is no more to say than how to see them early."""
    check = commonest(Counter(seen.by for _, seen in rows if is_tellable(seen.by)))
    codes = ranked(Counter(code for _, seen in rows for code in seen.codes))[:_MOST_CODES]
    theme = theme_of(codes[0])
    wants = theme.advice if theme else "see it early" if quoted(check) else ""
    if wants:
        shows = f"; {quoted(check)} shows it" if quoted(check) else ""
        named = ", ".join(quoted(code) for code in codes)
        text = f"code {_fails(rows)} its checks ({named}): {wants}{shows}."
        yield _everyday_draft(repo, matter, text, rows, advice=check, codes=codes)


def _everyday_draft(
    repo: str, matter: str, text: str, rows: Rows, *, advice: str = "", codes: Sequence[str] = ()
) -> Draft:
    return Draft(
        harvester=EverydayRules.name,
        key=(matter,),
        scope=Scope(ScopeKind.REPO, repo),
        category=Category.PITFALL,
        sentence=sentence(f"{_where(repo)}, {text}"),
        channel=Channel.OUTCOME,
        triggers=tuple(Trigger(rule=rule) for rule in codes or (matter,)),
        advice=advice,
        evidence=_evidence_for(rows, Channel.OUTCOME),
        saves=_SAVES,
    )
