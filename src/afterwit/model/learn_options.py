"""What a run of `learn` is asked to do: values alone, so that a run with nothing to do loads nothing else."""

from pathlib import Path
from typing import NamedTuple


class Wanted(NamedTuple):
    """A session, as agents name it."""

    agent: str
    session: str
    transcript: str = ""  # where its log lies, if the agent says so


class Options(NamedTuple):
    """What a run is asked to do."""

    agents: frozenset[str] = frozenset()  # empty: all
    folder: Path | None = None  # only this folder of logs
    since_ms: int = 0
    jobs: int = 0  # 0: one per core
    wait_seconds: float = 0.0
    is_dry_run: bool = False
    is_reharvest: bool = False  # the present harvesters look at everything again
    sessions: tuple[Wanted, ...] = ()  # only these, without a sweep
    is_ended: bool = False  # only those whose end an agent has noted, without a sweep
    accepts_database: bool = False  # although it knows less than the archive holds

    @property
    def is_whole(self) -> bool:
        """Whether it looks at everything there is."""
        return self == Options(jobs=self.jobs, wait_seconds=self.wait_seconds, is_reharvest=self.is_reharvest)

    @property
    def reads_ended(self) -> bool:
        """Whether it reads every session whose end an agent has noted."""
        return self.is_whole or (self.is_ended and not self.is_dry_run)

    @property
    def is_narrow(self) -> bool:
        return self.is_ended or bool(self.sessions)
