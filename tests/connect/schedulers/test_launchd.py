"""The property list of a launch agent, and the calls that load it."""

import plistlib
from pathlib import PurePosixPath

import pytest

from afterwit.connect.schedulers import (
    Cadence,
    Job,
    JobFiles,
    RemoveFile,
    RunProgram,
    Steps,
    WriteFile,
    is_our_agent,
    launchd_cadence,
    plan_launchd,
)

FOLDER = PurePosixPath("/Users/robin/Library/LaunchAgents")
LABEL = "afterwit-learn"
FILE = FOLDER / "afterwit-learn.plist"
NOTHING = JobFiles({})


def job(cadence: str = "07:45") -> Job:
    return Job(LABEL, ("/opt/my tools/afterwit", "learn"), {"HOME": "/Users/robin"}, Cadence.of(cadence))


def planned(what: Job | None, found: JobFiles) -> Steps:
    return plan_launchd(FOLDER, LABEL, 501, what, found)


def content(what: Job) -> bytes:
    step = planned(what, NOTHING)[0]
    assert isinstance(step, WriteFile)
    return step.content


def calls(steps: Steps) -> list[str]:
    return [" ".join(step.arguments) for step in steps if isinstance(step, RunProgram)]


def test_a_job_of_low_priority_is_written() -> None:
    assert plistlib.loads(content(job())) == {
        "Label": LABEL,
        "ProgramArguments": ["/opt/my tools/afterwit", "learn"],
        "EnvironmentVariables": {"HOME": "/Users/robin"},
        "StartCalendarInterval": {"Hour": 7, "Minute": 45},
        "ProcessType": "Background",
        "LowPriorityIO": True,
        "Nice": 10,
    }


def test_it_is_loaded_once_the_file_is_there() -> None:
    assert calls(planned(job(), NOTHING)) == [f"launchctl bootstrap gui/501 {FILE}"]


def test_what_is_in_place_stays() -> None:
    assert planned(job(), JobFiles({FILE: content(job())}, is_running=True)) == ()


def test_a_changed_job_is_loaded_anew() -> None:
    steps = planned(job("hourly"), JobFiles({FILE: content(job())}, is_running=True))
    assert calls(steps) == [f"launchctl bootout gui/501/{LABEL}", f"launchctl bootstrap gui/501 {FILE}"]


def test_removing_it_unloads_it_first() -> None:
    steps = planned(None, JobFiles({FILE: content(job())}, is_running=True))
    assert [type(step) for step in steps] == [RunProgram, RemoveFile]
    assert planned(None, NOTHING) == ()


@pytest.mark.parametrize("text", ["hourly", "07:45"])
def test_the_cadence_can_be_told_from_the_file(text: str) -> None:
    assert launchd_cadence(content(job(text))) == Cadence.of(text)


@pytest.mark.parametrize("odd", [b"", b"<plist", b"[]", plistlib.dumps([1]), plistlib.dumps({"Label": "other"})])
def test_files_of_others_are_told_apart(odd: bytes) -> None:
    assert is_our_agent(content(job()), LABEL)
    assert not is_our_agent(odd, LABEL)
    assert launchd_cadence(odd) is None
