"""Reports of rules in one session: which of them count, what reported them, and what put them right.

What stood in a file that was read or searched is no report, nor is what a linter says that was run with other settings
than the repository's own. What follows over many sessions is up to the harvester.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

from afterwit.actions.activities import is_checking
from afterwit.actions.shell.parse import parsed
from afterwit.actions.shell.programs import Weight, names
from afterwit.harvest.commands.invocations import CommandRun, command_at
from afterwit.harvest.commands.purposes import CHANGING, Purpose
from afterwit.harvest.harvester import commonest, grouped_by
from afterwit.harvest.rule_names import check_within, is_formatting, is_telling
from afterwit.model.digest import Digest, Rule
from afterwit.model.kinds import CHANGES
from afterwit.model.knowledge import Seen

_REPORTING = (Purpose.LINT, Purpose.TYPES, Purpose.CHECK, Purpose.BUILD)
_OTHER_SETTINGS = names(
    "--no-config --no-ignore --no-eslintrc --no-inline-config --isolated --config --rulesdir --rule --ruleset --enable"
    " --enable-all --enable-only --default -E --select --extend-select --preview --only --no-default-config"
)


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
    reports = grouped_by(counting, lambda rule: rule.id)
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
        mended_by=_mended_by(digest, reports[rule], runs),
    )


def _is_report(digest: Digest, at: int) -> bool:
    line = parsed(command_at(digest.steps, at))
    if any(is_checking(command) and not _OTHER_SETTINGS.isdisjoint(command.flags) for command in line.commands):
        return False
    return any(command.weight is Weight.WORKS or is_checking(command) for command in line.commands)


def _reporter(reported: set[int], runs: Sequence[CommandRun]) -> str:
    """The first whole command that reported the rule."""
    reporters = [run for run in runs if run.at in reported and run.purpose in _REPORTING and not run.form.is_part]
    return min(reporters, key=lambda run: (run.at, _REPORTING.index(run.purpose))).line if reporters else ""


def _mended_by(digest: Digest, reports: Sequence[Rule], runs: Sequence[CommandRun]) -> str:
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
