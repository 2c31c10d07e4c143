"""The rules of linters and compilers that fail most in a repository: one item, one line of ids.

What a rule wants every agent knows; what it cannot know is which of thousands a repository enforces and keeps failing.
So nothing is said but the ids of the commonest rules, after the command that reports them, and the command that puts
some of them right, if one was seen to. Where no such command holds for the whole repository, nothing is said. Errors of
a compiler are no rules of a repository: they are about the code of the moment. What the tool says is never repeated,
and only ids are named whose tool and form are known: codes by their prefix and number of digits,
names by the lists in `rule_names.toml`. Reports with other settings than the repository's own do not count.
"""

import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib import resources
from typing import NamedTuple

from afterwit.actions.activities import is_checking
from afterwit.actions.shell.parse import parsed
from afterwit.actions.shell.programs import Weight, names
from afterwit.actions.steps import command_of
from afterwit.harvest.commands.invocations import CommandRun, runs_in
from afterwit.harvest.commands.power import is_tellable
from afterwit.harvest.commands.proven_commands import OWN_TASK_COUNTS, is_own_task
from afterwit.harvest.commands.purposes import CHANGING, Purpose
from afterwit.harvest.harvester import (
    Grouped,
    commonest,
    group_by,
    in_order,
    outcomes,
    quote,
    stories_in,
    story_counts,
)
from afterwit.model.digest import Digest, Rule
from afterwit.model.kinds import CHANGES
from afterwit.model.knowledge import Category, Channel, Draft, Scope, ScopeKind, Seen, Sighting, Trigger
from afterwit.model.text import regex
from afterwit.redaction.plain_names import reads_like_a_sentence

_DIGITS = {
    # ruff and the plugins of flake8 that it took over, gosec (G), markdownlint
    3: names(
        "A AIR ANN ARG ASYNC B BLE C COM CPY D DAR DJ DOC DTZ E EM ERA EXE F FA FAST FBT FIX FLY FURB G I ICN INP INT"
        " ISC LOG N NPY PD PERF PGH PIE PT PTH PYI Q RET RSE RUF S SIM SLF SLOT T TC TCH TD TID TRIO TRY UP W YTT MD"
    ),
    # pylint, rustc (E), staticcheck, shellcheck, TypeScript, C#, F#, hadolint, NuGet, MSBuild
    4: names("C E F R W PLC PLE PLR PLW SA ST QF U SC TS CS CA IDE FS DL NU MSB NETSDK"),
    5: names("TS"),
    # sqlfluff
    2: names("AL AM CP CV LT RF"),
}
_CODE = regex(r"([A-Z]{1,6})(\d{2,5})")
_BIOME = "biome "
_BIOME_GROUP = regex(
    r"(?:lint/(?:a11y|complexity|correctness|nursery|performance|security|style|suspicious)|assist/(?:source|actions))/"
)
_FORMATTING = names(
    "format prettier/prettier gofmt gofumpt goimports gci golines lll whitespace tagalign godot comma-dangle max-len"
    " sort-imports import/order simple-import-sort/imports perfectionist/sort-imports E302 E501 I001 W291 W293 COM812"
    " Q000 line-too-long assist/source/organizeImports"
)
_COMPILER = regex(r"TS\d{4,5}|E\d{4}|C[SA]\d{4}|FS\d{4}|[A-Z]{2,4}\d{5}")
_COMPILING = names(
    "call-arg arg-type attr-defined assignment return-value operator index name-defined call-overload valid-type"
    " override list-item dict-item has-type func-returns-value used-before-def typeddict-item comparison-overlap"
    " reportAttributeAccessIssue reportArgumentType reportCallIssue reportGeneralTypeIssues reportReturnType"
    " reportAssignmentType reportIndexIssue reportUndefinedVariable typecheck"
)
_SAYS_NOTHING = names("abstract default deprecated misc parse return syntax syntax-error E902 E999")
_NAMED_CHECK = regex(r"(?P<check>[A-Za-z][\w-]{2,40}): ")
_CHECKS_WITHIN = ("revive", "gocritic", "govet", "perfsprint", "gosec", "testifylint", "modernize", "staticcheck")
_REPORTING = (Purpose.LINT, Purpose.TYPES, Purpose.CHECK, Purpose.BUILD)
_OTHER_SETTINGS = names(
    "--no-config --no-ignore --no-eslintrc --no-inline-config --isolated --config --rulesdir --rule --ruleset --enable"
    " --enable-all --enable-only --default -E --select --extend-select --preview --only --no-default-config"
)
_MOST_SEEN = 24  # rules of a session
_MOST_NAMED = 8
_LONGEST = 200  # characters: with its heading and its confidence the line takes 60 tokens
_LONGEST_COMMAND = 40
_STORIES = 2
_SAVES = 2.0


def is_compiling(rule: str) -> bool:
    """Whether a rule means that the code does not compile or its types do not fit."""
    return rule in _COMPILING or bool(_COMPILER.fullmatch(rule))


def is_formatting(rule: str) -> bool:
    """Whether a formatter puts the rule right."""
    return rule in _FORMATTING


def is_telling(rule: str) -> bool:
    """Whether a rule's id may be named and says what it wants: `syntax` does not. Some are so long that the gate would
    take them for a sentence."""
    return is_known_rule(rule) and rule not in _SAYS_NOTHING and not reads_like_a_sentence(short_name(rule))


def short_name(rule: str) -> str:
    """An id without the group that its tool has put it into."""
    return _BIOME_GROUP.sub("", rule, count=1)


def check_within(rule: str, message: str) -> str:
    """The check that a linter of many names at the beginning of its message; "" where it may not be named."""
    check = _NAMED_CHECK.match(message) if rule in _CHECKS_WITHIN else None
    return check["check"] if check and is_known_rule(check["check"]) else ""


def is_known_rule(rule: str) -> bool:
    """Whether a rule's id may be named."""
    code = _CODE.fullmatch(rule)
    if code:
        return code[1] in _DIGITS.get(len(code[2]), ())
    return " " not in rule and (rule in _shipped_names() or _BIOME_GROUP.sub(_BIOME, rule, count=1) in _shipped_names())


@cache
def _shipped_names() -> frozenset[str]:
    tables = tomllib.loads(resources.files(__package__).joinpath("rule_names.toml").read_text("utf-8"))
    plain = {name for listed in tables["plain"].values() for name in listed.split()}
    prefixed = {f"{prefix}{name}" for prefix, listed in tables["prefixed"].items() for name in listed.split()}
    return frozenset(plain | prefixed)


class RuleSeen(Seen, frozen=True, kw_only=True, omit_defaults=True):
    """A rule that failed in a session."""

    rule: str
    times: int = 1
    check: str = ""  # within a linter of many
    by: str = ""  # the command that reports it
    mended_by: str = ""  # the command after which it was gone, with nothing edited by hand in between


def reports_in(digest: Digest) -> dict[str, list[Rule]]:
    """The reports that count, by rule, the commonest first."""
    counting = (rule for rule in digest.rules if is_telling(rule.id) and _is_report(digest, rule.at))
    reports = group_by(counting, lambda rule: rule.id)
    return dict(sorted(reports.items(), key=lambda item: (-len(item[1]), item[0])))


def rule_seen(digest: Digest, rule: str, reports: Mapping[str, Sequence[Rule]], runs: Sequence[CommandRun]) -> RuleSeen:
    first = reports[rule][0]
    return RuleSeen(
        at=first.at,
        excerpt=f"{rule}: {first.message}",
        rule=rule,
        times=len({report.at for report in reports[rule]}),
        check=commonest(Counter(filter(None, (check_within(rule, report.message) for report in reports[rule])))),
        by=_reporter({report.at for report in reports[rule]}, runs),
        mended_by=_mend_command(digest, reports[rule], runs),
    )


def _is_report(digest: Digest, at: int) -> bool:
    line = parsed(command_of(digest.steps, at))
    if any(is_checking(command) and not _OTHER_SETTINGS.isdisjoint(command.flags) for command in line.commands):
        return False
    return any(command.weight is Weight.WORKS or is_checking(command) for command in line.commands)


def _reporter(reported: set[int], runs: Sequence[CommandRun]) -> str:
    """The first whole command that reported the rule."""
    reporters = [run for run in runs if run.at in reported and run.purpose in _REPORTING and not run.form.is_part]
    return min(reporters, key=lambda run: (run.at, _REPORTING.index(run.purpose))).line if reporters else ""


def _mend_command(digest: Digest, reports: Sequence[Rule], runs: Sequence[CommandRun]) -> str:
    """The mending command between a report of the rule and the next run of the same check that does not report it.
    Edits by hand in between could have done the same, except to what only a formatter puts right."""
    reported = {rule.at for rule in reports}
    is_format = is_formatting(reports[0].id)
    mends = (Purpose.MEND, Purpose.FORMAT) if is_format else (Purpose.MEND,)
    for report in sorted(reported):
        checks = {run.line for run in runs if run.at == report and run.purpose not in CHANGING}
        again = next((run for run in runs if run.at > report and run.line in checks), None)
        if again is None or again.at in reported:
            continue
        mending = [run for run in runs if report <= run.at <= again.at and run.purpose in mends and run.passed]
        edited = any(step.kind in CHANGES for step in digest.steps[report + 1 : again.at])
        if mending and (is_format or not edited):
            return mending[-1].line
    return ""


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
        rules = _commonest_rules(sightings)
        fitting = (text for most in range(len(rules), 0, -1) if 0 < len(text := _sentence(rules[:most])) <= _LONGEST)
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
        return f"{quote(short_name(self.id))} ({check})" if check else quote(short_name(self.id))

    @property
    def mend(self) -> str:
        """A command that was seen to mend the rule; twice, unless that is what it is for."""
        mends = story_counts((seen.mended_by, session.story) for session, seen in self.rows)
        enough = 1 if is_formatting(self.id) else _STORIES
        return commonest({line: stories for line, stories in mends.items() if stories >= enough and _is_short(line)})


def _commonest_rules(sightings: Rows) -> list[_Rule]:
    telling = (row for row in in_order(sightings) if is_telling(row.seen.rule) and not is_compiling(row.seen.rule))
    by_rule = group_by(telling, lambda row: row.seen.rule)
    rules = (_Rule(rule, rows) for rule, rows in by_rule.items())
    return sorted(rules, key=lambda rule: (-rule.stories, -rule.times, rule.id))[:_MOST_NAMED]


def _sentence(rules: Sequence[_Rule]) -> str:
    """What fails most, by the commands that report it; "" where none is known."""
    (by, first), *others = _by_command(list(rules))
    if not by:
        return ""
    mend = commonest(story_counts((rule.mend, row.session.story) for rule in first for row in rule.rows))
    begin = f"Run {quote(mend)} before {quote(by)}, which fails" if mend else f"{quote(by)} fails"
    further = (f"; {quote(other) or 'others'} on {_listed(reported)}" for other, reported in others)
    return f"{begin} most on {_listed(first)}{''.join(further)}."


def _listed(rules: Sequence[_Rule]) -> str:
    return ", ".join(rule.text for rule in rules)


def _by_command(rules: list[_Rule]) -> Iterator[tuple[str, list[_Rule]]]:
    """Rules behind the command that reports most of them, then those that are left; a project's own task goes first."""
    while rules:
        rows = ((rule.id, row) for rule in rules for row in rule.rows if _is_short(row.seen.by))
        counts = story_counts((row.seen.by, f"{rule} {row.session.story}") for rule, row in rows)
        by = commonest({line: (OWN_TASK_COUNTS if is_own_task(line) else 1.0) * counts[line] for line in counts})
        reported = [rule for rule in rules if not by or any(seen.by == by for _, seen in rule.rows)]
        yield by, reported
        rules = [rule for rule in rules if rule not in reported]


def _is_short(line: str) -> bool:
    """Whether a command can be told whole, and holds wherever one stands."""
    return (
        bool(line)
        and not line.startswith("cd ")
        and len(line) <= _LONGEST_COMMAND
        and bool(quote(line))
        and is_tellable(line)
    )
