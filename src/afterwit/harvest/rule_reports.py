"""Reports of rules in one session: which of them count, what reported them, and what put them right.

What stood in a file that was read or searched is no report, nor is what a linter says that was run with other settings
than the repository's own. A session that changed the settings, or met dozens of rules at once, cleaned up: its reports
show what the linter looks for, but no habit. What follows over many sessions is up to the harvesters.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from afterwit.actions.checks import is_checking
from afterwit.actions.shell.parse import parsed
from afterwit.actions.shell.programs import Weight, names
from afterwit.harvest.commands.invocations import CommandRun, command_at
from afterwit.harvest.commands.purposes import CHANGING, Purpose
from afterwit.harvest.harvester import grouped_by
from afterwit.harvest.rule_advice import check_within, is_formatting, is_known_check
from afterwit.model.digest import Digest, Rule
from afterwit.model.kinds import CHANGES
from afterwit.model.knowledge import Seen

REPORTING = (Purpose.LINT, Purpose.TYPES, Purpose.CHECK, Purpose.BUILD)
_CLEAN_UP = 12  # different rules in one session
_OTHER_SETTINGS = names(
    "--no-config --no-ignore --no-eslintrc --no-inline-config --isolated --config --rulesdir --rule --ruleset --enable"
    " --enable-all --enable-only --default -E --select --extend-select --preview --only --no-default-config"
)
_SETTINGS = re.compile(
    r"(?:^|/)(?:\.?golangci\.\w+|\.?(?:eslint|stylelint|prettier|tslint|markdownlint)[\w.-]*(?:rc|config)?[\w.-]*"
    r"|biome\.jsonc?|\.?ruff\.toml|\.flake8|\.?pylintrc|\.?mypy\.ini|\.rubocop[\w.]*\.yml|\.?clippy\.toml|detekt\.yml"
    r"|\.editorconfig|tox\.ini)\Z"
)


class RuleSeen(Seen, frozen=True, kw_only=True, omit_defaults=True):
    """A rule that failed in a session; or, without a rule, the commands that would report one."""

    rule: str = ""
    check: str = ""  # within a linter of many
    by: str = ""  # the command that reports it
    mended_by: str = ""  # the command after which it was gone
    is_sure: bool = False  # nothing was edited by hand in between
    codes: tuple[str, ...] = ()  # of a compiler, the commonest first
    ran: tuple[str, ...] = ()  # commands for linting and checking
    is_clean_up: bool = False


class RuleName(NamedTuple):
    rule: str
    check: str  # within a linter of many, "" for any other


def reports_in(digest: Digest) -> dict[RuleName, list[Rule]]:
    """The reports that count, by rule, the commonest first."""
    reports = grouped_by((rule for rule in digest.rules if _is_report(digest, rule.at)), _name_of)
    return dict(sorted(reports.items(), key=lambda item: (-len(item[1]), item[0])))


def _name_of(rule: Rule) -> RuleName:
    check = check_within(rule.id, rule.message)
    return RuleName(rule.id, check if is_known_check(check) else "")


def is_clean_up(digest: Digest, reports: Collection[RuleName]) -> bool:
    """Whether a session set a linter up or cleaned up after it."""
    changed = (path for step in digest.steps if step.kind in CHANGES for path in step.files)
    return len({name.rule for name in reports}) >= _CLEAN_UP or any(_SETTINGS.search(path) for path in changed)


def rule_seen(
    digest: Digest, name: RuleName, reports: Mapping[RuleName, Sequence[Rule]], runs: Sequence[CommandRun]
) -> RuleSeen:
    first = reports[name][0]
    mended = _mended(digest, reports[name], runs)
    return RuleSeen(
        at=first.at,
        excerpt=first.message or name.rule,
        rule=name.rule,
        check=name.check,
        by=_reporter(first.at, runs),
        mended_by=mended.by if mended else "",
        is_sure=mended is not None and mended.is_sure,
        is_clean_up=is_clean_up(digest, reports),
    )


def commands_seen(runs: Sequence[CommandRun]) -> Iterator[RuleSeen]:
    """What the session ran that could report rules."""
    lines = dict.fromkeys(run.line for run in runs if run.purpose in REPORTING and run.ran and not run.form.is_part)
    if lines:
        yield RuleSeen(ran=tuple(lines))


def _is_report(digest: Digest, at: int) -> bool:
    line = parsed(command_at(digest.steps, at))
    if any(is_checking(command) and not _OTHER_SETTINGS.isdisjoint(command.flags) for command in line.commands):
        return False
    return any(command.weight is Weight.WORKS or is_checking(command) for command in line.commands)


def _reporter(at: int, runs: Sequence[CommandRun]) -> str:
    reporters = [run for run in runs if run.at == at and run.purpose in REPORTING and not run.form.is_part]
    return min(reporters, key=lambda run: REPORTING.index(run.purpose)).line if reporters else ""


class _Mended(NamedTuple):
    by: str
    is_sure: bool


def _mended(digest: Digest, reports: Sequence[Rule], runs: Sequence[CommandRun]) -> _Mended | None:
    """The mending command between a report of the rule and the next run of the same check that does not report it."""
    reported = {rule.at for rule in reports}
    mends = (Purpose.MEND, Purpose.FORMAT) if is_formatting(reports[0].id) else (Purpose.MEND,)
    for report in sorted(reported):
        checks = {run.line for run in runs if run.at == report and run.purpose not in CHANGING}
        again = next((run for run in runs if run.at > report and run.line in checks), None)
        if again is None or again.at in reported:
            continue
        mending = [run for run in runs if report <= run.at <= again.at and run.purpose in mends and run.ran]
        if mending:
            edited = any(step.kind in CHANGES for step in digest.steps[report + 1 : again.at])
            return _Mended(mending[-1].line, not edited)
    return None
