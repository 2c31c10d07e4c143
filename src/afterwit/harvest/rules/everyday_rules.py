"""Rules that every agent knows, and types that do not fit: brought to mind at a task, and never said otherwise.

That an unused variable is to be removed stands in the message, and a type error is the work of the moment. But where
such reports keep coming, it is worth a reminder to look before the check does. So these items never stand by
themselves, however often they are seen. Checks of one linter are told together; so are codes of compilers that want the
same, with the command that reports them earliest, and so are those of which no more is known.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence

from afterwit.harvest.commands.invocations import Run, runs_in
from afterwit.harvest.commands.power import is_tellable
from afterwit.harvest.commands.purposes import Purpose
from afterwit.harvest.harvester import NEVER_ALONE, Grouped
from afterwit.harvest.rules.rule_advice import advice_for, is_compiling, is_momentary, theme_of
from afterwit.harvest.rules.rule_reports import RuleName, RuleSeen, reports_in, rule_seen
from afterwit.harvest.rules.rules import by_rule, evidence_for, fails, is_left_to_others, where
from afterwit.harvest.sightings import in_order
from afterwit.harvest.wording import quoted, sentence
from afterwit.model.digest import Digest, Rule
from afterwit.model.knowledge import Category, Channel, Draft, Scope, ScopeKind, Sighting, Trigger

COMPILER = "compiler"
_MOST_RULES = 8  # a session
_MOST_CODES = 6
_COMPILES = (Purpose.TYPES, Purpose.BUILD, Purpose.CHECK)
Rows = Sequence[Sighting[RuleSeen]]


class EverydayRules:
    name = "everyday-rules"
    version = 2
    seen = RuleSeen
    minimum_stories = NEVER_ALONE

    def see(self, digest: Digest) -> Iterable[Grouped[RuleSeen]]:
        reports = reports_in(digest) if digest.repo else {}
        runs = list(runs_in(digest)) if reports else []
        known = [name for name in reports if is_left_to_others(name) and not is_momentary(name.rule)]
        for name in known[:_MOST_RULES]:
            yield Grouped(f"{digest.repo}\n{name.rule}", rule_seen(digest, name, reports, runs))
        for theme, codes in _themes(reports).items():
            first = reports[RuleName(codes[0], "")][0]
            yield Grouped(f"{digest.repo}\n{theme}", _compiling(codes, first, runs))

    def conclude(self, group: str, sightings: Sequence[Sighting[RuleSeen]]) -> Iterable[Draft]:
        repo, _, matter = group.partition("\n")
        if any(sighting.seen.codes for sighting in sightings):
            yield from _theme_draft(repo, matter, in_order(sightings))
            return
        wants = [_wanted(name) for name in by_rule(sightings)]
        if any(wants):
            rows = in_order(sightings)
            text = f"{quoted(matter)} {fails(rows)}: {'; '.join(filter(None, wants))}."
            yield _draft(repo, (matter,), text, rows)


def _wanted(name: RuleName) -> str:
    """What a rule wants, with the check of a linter of many."""
    advice = advice_for(*name)
    named = f" ({name.check})" if name.check else ""
    return f"{advice.text}{named}" if advice else ""


def _themes(reports: Iterable[RuleName]) -> dict[str, list[str]]:
    """The codes of compilers among the reports, by what they want."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for name in reports:
        theme = theme_of(name.rule)
        if theme or is_compiling(name.rule):
            found[f"{COMPILER} {theme.name}" if theme else COMPILER].append(name.rule)
    return dict(found)


def _compiling(codes: Sequence[str], first: Rule, runs: Sequence[Run]) -> RuleSeen:
    checks = [run for run in runs if run.purpose in _COMPILES and not run.form.is_part and run.ran]
    by = min(checks, key=lambda run: (_COMPILES.index(run.purpose), run.at)).line if checks else ""
    return RuleSeen(at=first.at, excerpt=first.message, by=by, codes=tuple(codes[:_MOST_CODES]))


def _theme_draft(repo: str, matter: str, rows: Rows) -> Iterator[Draft]:
    """One theme, or the codes that have none: of those there is no more to say than how to see them early."""
    checks = Counter(seen.by for _, seen in rows if is_tellable(seen.by))
    check = min(checks, key=lambda line: (-checks[line], line), default="")
    stories = Counter(code for _, seen in rows for code in seen.codes)
    codes = sorted(stories, key=lambda code: (-stories[code], code))[:_MOST_CODES]
    theme = theme_of(codes[0])
    wants = theme.advice if theme else "see it early" if quoted(check) else ""
    if wants:
        shows = f"; {quoted(check)} shows it" if quoted(check) else ""
        named = ", ".join(quoted(code) for code in codes)
        text = f"code {fails(rows)} its checks ({named}): {wants}{shows}."
        yield _draft(repo, (matter,), text, rows, advice=check, codes=codes)


def _draft(
    repo: str, key: tuple[str, ...], text: str, rows: Rows, *, advice: str = "", codes: Sequence[str] = ()
) -> Draft:
    return Draft(
        harvester=EverydayRules.name,
        key=key,
        scope=Scope(ScopeKind.REPO, repo),
        category=Category.PITFALL,
        sentence=sentence(f"{where(repo)}, {text}"),
        channel=Channel.OUTCOME,
        triggers=tuple(Trigger(rule=rule) for rule in codes or (key[0],)),
        advice=advice,
        evidence=evidence_for(rows, Channel.OUTCOME),
        saves=2.0,
    )
