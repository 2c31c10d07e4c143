"""Counts, agent by agent, what a run found, read and left: the table that `learn` prints.

Only agents of which something was found have a line. What came into the store is told by the store itself, before and
after, because copied history, which many files hold, counts once.
"""

from collections.abc import Mapping

from afterwit.capture.derived import Derived
from afterwit.capture.plan import AgentPlan, Pending
from afterwit.model.learn_run import AgentReport
from afterwit.store.rows.sessions import Counts


class RunTally:
    """The reports of one run."""

    def __init__(self) -> None:
        self._reports: dict[str, AgentReport] = {}

    def reports(self) -> list[AgentReport]:
        return list(self._reports.values())

    def read_bytes(self) -> int:
        """How much was read, of all agents."""
        return sum(report.bytes for report in self._reports.values())

    def note_plan(self, plan: AgentPlan) -> None:
        if not plan.discovered and not plan.unreadable:
            return
        self._reports[plan.agent] = AgentReport(
            agent=plan.agent,
            discovered=plan.discovered,
            unchanged=plan.unchanged,
            no_reader=plan.no_reader,
            failed=len(plan.unreadable),
            errors=[f"{place.place}: {place.reason}" for place in plan.unreadable],
        )

    def count(self, file: Pending, derived: Derived, *, is_kept: bool) -> None:
        """One file, after it was written."""
        report = self._reports[file.home.agent]
        if derived.error:
            report.failed += 1
            report.errors.append(f"{file.unit.home / file.unit.transcript.path}: {derived.error}")
        elif derived.captured is None:
            report.unchanged += 1
        elif not is_kept:
            report.empty += 1
        else:
            report.read += 1
            report.problems += len(derived.captured.problems)
            report.bytes += derived.fresh_bytes

    def count_left_out(self, agent: str) -> None:
        """One file of which nothing was kept."""
        self._reports[agent].left_out += 1

    def note_growth(self, before: Mapping[str, Counts], after: Mapping[str, Counts]) -> None:
        """What came into the store: copied history, which many files hold, is counted once."""
        for agent, report in self._reports.items():
            was, now = (counts.get(agent, Counts(0, 0)) for counts in (before, after))
            report.events, report.actions = max(0, now.events - was.events), max(0, now.actions - was.actions)
