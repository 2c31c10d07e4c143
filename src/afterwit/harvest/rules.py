"""The rules of linters and compilers that fail most in a repository: one item, one line of ids.

What a rule wants every agent knows; what it cannot know is which of thousands a repository enforces and keeps failing.
So nothing is said but the ids of the commonest rules, after the command that reports them, and the command that puts
some of them right, if one was seen to. Where no such command holds for the whole repository, nothing is said. Errors of
a compiler are no rules of a repository: they are about the code of the moment. What the tool says is never repeated,
and only ids are named whose tool and form are known (`rule_names`): both are written by whoever wrote the tool.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from afterwit.harvest.commands.forms import OWN_TASK_COUNTS, is_own_task
from afterwit.harvest.commands.invocations import runs_in
from afterwit.harvest.commands.power import is_tellable
from afterwit.harvest.harvester import Grouped, commonest, grouped_by, in_order, outcomes, stories_in, story_counts
from afterwit.harvest.rule_names import is_compiling, is_formatting, is_telling, short_name
from afterwit.harvest.rule_reports import RuleSeen, reports_in, rule_seen
from afterwit.harvest.wording import quoted
from afterwit.model.digest import Digest
from afterwit.model.knowledge import Category, Channel, Draft, Scope, ScopeKind, Sighting, Trigger

_MOST_SEEN = 24  # rules of a session
_MOST_NAMED = 8
_LONGEST = 200  # characters: with its heading and its confidence the line takes 60 tokens
_LONGEST_COMMAND = 40
_STORIES = 2
_SAVES = 2.0
Rows = Sequence[Sighting[RuleSeen]]


class LinterRules:
    name = "rules"
    version = 8
    seen = RuleSeen
    minimum_stories = _STORIES

    def see(self, digest: Digest) -> Iterable[Grouped[RuleSeen]]:
        reports = reports_in(digest) if digest.repo else {}
        runs = runs_in(digest) if reports else ()
        for rule in list(reports)[:_MOST_SEEN]:
            yield Grouped(digest.repo, rule_seen(digest, rule, reports, runs))

    def conclude(self, group: str, sightings: Rows) -> Iterable[Draft]:
        rules = _failing_most(sightings)
        fitting = (text for most in range(len(rules), 0, -1) if 0 < len(text := _said(rules[:most])) <= _LONGEST)
        text = next(fitting, "")
        if not text:
            return
        yield Draft(
            harvester=self.name,
            key=("rules",),
            scope=Scope(ScopeKind.REPO, group),
            category=Category.PITFALL,
            sentence=text,
            channel=Channel.OUTCOME,
            triggers=tuple(Trigger(rule=rule.id) for rule in rules),
            evidence=outcomes(in_order(row for rule in rules for row in rule.rows)),
            saves=_SAVES,
        )


class _Rule(NamedTuple):
    """A rule, and where it failed."""

    id: str
    rows: list[Sighting[RuleSeen]]

    @property
    def stories(self) -> int:
        return len(stories_in(self.rows))

    @property
    def times(self) -> int:
        return sum(row.seen.times for row in self.rows)

    @property
    def text(self) -> str:
        check = commonest(story_counts((seen.check, session.story) for session, seen in self.rows))
        return f"{quoted(short_name(self.id))} ({check})" if check else quoted(short_name(self.id))

    @property
    def mend(self) -> str:
        """A command that was seen to mend the rule; twice, unless that is what it is for."""
        mends = story_counts((seen.mended_by, session.story) for session, seen in self.rows)
        enough = 1 if is_formatting(self.id) else _STORIES
        return commonest({line: stories for line, stories in mends.items() if stories >= enough and _is_short(line)})


class _Reported(NamedTuple):
    by: str  # the command; "" where none can be told
    rules: list[_Rule]


def _failing_most(sightings: Rows) -> list[_Rule]:
    telling = (row for row in in_order(sightings) if is_telling(row.seen.rule) and not is_compiling(row.seen.rule))
    by_rule = grouped_by(telling, lambda row: row.seen.rule)
    rules = (_Rule(rule, rows) for rule, rows in by_rule.items())
    return sorted(rules, key=lambda rule: (-rule.stories, -rule.times, rule.id))[:_MOST_NAMED]


def _said(rules: Sequence[_Rule]) -> str:
    """What fails most, by the commands that report it; "" where none is known."""
    first, *others = _by_command(list(rules))
    if not first.by:
        return ""
    mend = commonest(story_counts((rule.mend, row.session.story) for rule in first.rules for row in rule.rows))
    begin = f"Run {quoted(mend)} before {quoted(first.by)}, which fails" if mend else f"{quoted(first.by)} fails"
    further = (f"; {quoted(other.by) or 'others'} on {_named(other)}" for other in others)
    return f"{begin} most on {_named(first)}{''.join(further)}."


def _named(reported: _Reported) -> str:
    return ", ".join(rule.text for rule in reported.rules)


def _by_command(rules: list[_Rule]) -> Iterator[_Reported]:
    """Rules with the command that reports most of them, then those that are left; a project's own task goes first."""
    while rules:
        rows = ((rule.id, row) for rule in rules for row in rule.rows if _is_short(row.seen.by))
        counts = story_counts((row.seen.by, f"{rule} {row.session.story}") for rule, row in rows)
        by = commonest({line: (OWN_TASK_COUNTS if is_own_task(line) else 1.0) * counts[line] for line in counts})
        reported = [rule for rule in rules if not by or any(seen.by == by for _, seen in rule.rows)]
        yield _Reported(by, reported)
        rules = [rule for rule in rules if rule not in reported]


def _is_short(line: str) -> bool:
    """Whether a command can be told whole, and holds wherever one stands."""
    return (
        bool(line)
        and not line.startswith("cd ")
        and len(line) <= _LONGEST_COMMAND
        and bool(quoted(line))
        and is_tellable(line)
    )
