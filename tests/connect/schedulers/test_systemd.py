"""Unit files, and the calls that switch them on and off."""

from pathlib import PurePosixPath

from afterwit.connect.schedulers import (
    Cadence,
    Job,
    JobFiles,
    RemoveFile,
    RunProgram,
    Steps,
    WriteFile,
    is_our_unit,
    plan_systemd,
    systemd_cadence,
)

FOLDER = PurePosixPath("/home/robin/.config/systemd/user")
LABEL = "afterwit-learn"
NOTHING = JobFiles({})


def job(cadence: str = "07:45") -> Job:
    return Job(LABEL, ("/opt/my tools/afterwit", "learn", "$5"), {"HOME": '/srv/50%"'}, Cadence.of(cadence))


def written(steps: Steps) -> dict[str, str]:
    return {step.path.name: step.content.decode() for step in steps if isinstance(step, WriteFile)}


def calls(steps: Steps) -> list[str]:
    return [" ".join(step.arguments) for step in steps if isinstance(step, RunProgram)]


def in_place(what: Job, *, is_running: bool = True) -> JobFiles:
    steps = plan_systemd(FOLDER, LABEL, what, NOTHING)
    return JobFiles({step.path: step.content for step in steps if isinstance(step, WriteFile)}, is_running)


def test_a_service_of_low_priority_is_written() -> None:
    service = written(plan_systemd(FOLDER, LABEL, job(), NOTHING))["afterwit-learn.service"]
    assert service.splitlines()[4:] == [
        "[Service]",
        "Type=oneshot",
        'Environment="HOME=/srv/50%%\\""',
        'ExecStart="/opt/my tools/afterwit" "learn" "$$5"',
        "Nice=10",
        "IOSchedulingClass=idle",
    ]


def test_a_timer_starts_it_and_makes_up_for_missed_runs() -> None:
    timer = written(plan_systemd(FOLDER, LABEL, job(), NOTHING))["afterwit-learn.timer"]
    assert "OnCalendar=*-*-* 07:45:00\nPersistent=true\n" in timer
    assert "WantedBy=timers.target" in timer


def test_it_is_switched_on_after_the_files_are_there() -> None:
    steps = plan_systemd(FOLDER, LABEL, job(), NOTHING)
    assert [type(step) for step in steps] == [WriteFile, WriteFile, RunProgram, RunProgram]
    assert calls(steps) == [
        "systemctl --user daemon-reload",
        "systemctl --user enable --now afterwit-learn.timer",
    ]


def test_what_is_in_place_stays() -> None:
    assert plan_systemd(FOLDER, LABEL, job(), in_place(job())) == ()


def test_a_timer_that_was_switched_off_is_switched_on_again() -> None:
    steps = plan_systemd(FOLDER, LABEL, job(), in_place(job(), is_running=False))
    assert not written(steps)
    assert calls(steps)[-1] == "systemctl --user enable --now afterwit-learn.timer"


def test_another_time_changes_the_timer_alone() -> None:
    steps = plan_systemd(FOLDER, LABEL, job("hourly"), in_place(job()))
    assert list(written(steps)) == ["afterwit-learn.timer"]
    assert calls(steps)[-1] == "systemctl --user restart afterwit-learn.timer"


def test_removing_it_removes_both_files() -> None:
    steps = plan_systemd(FOLDER, LABEL, None, in_place(job()))
    assert [step.path.name for step in steps if isinstance(step, RemoveFile)] == [f"{LABEL}.service", f"{LABEL}.timer"]
    assert calls(steps)[0] == "systemctl --user disable --now afterwit-learn.timer"
    assert plan_systemd(FOLDER, LABEL, None, NOTHING) == ()


def test_the_cadence_can_be_told_from_the_timer() -> None:
    for text in ("hourly", "07:45"):
        timer = in_place(job(text)).files[FOLDER / "afterwit-learn.timer"]
        assert systemd_cadence(timer) == Cadence.of(text)
    assert systemd_cadence(b"OnCalendar=weekly\n") is None


def test_files_of_others_are_told_apart() -> None:
    assert all(is_our_unit(content) for content in in_place(job()).files.values())
    assert not is_our_unit(b"[Unit]\n")
