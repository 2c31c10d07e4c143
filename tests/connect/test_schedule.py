"""Setting up and removing a schedule, with schedulers that are scripts of the test."""

import os
from pathlib import Path

import pytest
from tests.fake_schedulers import FakeSchedulers

from afterwit.config.show import StorePlace, load
from afterwit.connect.schedule import Host, Installed, apply, job_for, label_for, plan_install, plan_removal, status
from afterwit.connect.schedulers import Cadence, WriteFile
from afterwit.model.errors import AfterwitError, UsageError

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the schedulers of the test are shell scripts")
DAILY = Cadence.of("07:45")


def host(tmp_path: Path, fakes: FakeSchedulers, platform: str = "linux", **environ: str) -> Host:
    home = tmp_path / "home"
    home.mkdir(exist_ok=True)
    surroundings = {"PATH": str(fakes.path), "HOME": str(home), **environ}
    return Host(surroundings, platform, home, 501, ("/opt/afterwit",))


def place(of: Host, config: Path | None = None, profile: str | None = None) -> StorePlace:
    return load(of.environ, of.platform, config, profile).place


def set_up(of: Host, cadence: Cadence = DAILY) -> None:
    apply(of, plan_install(of, job_for(place(of), of, cadence)))


def take_down(of: Host) -> None:
    apply(of, plan_removal(of, label_for(place(of), of)))


def seen(of: Host) -> Installed:
    return status(of, label_for(place(of), of))


def contents(folder: Path) -> dict[str, bytes]:
    return {str(file): file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file()}


def test_systemd_is_used_where_it_runs(tmp_path: Path) -> None:
    fakes = FakeSchedulers(tmp_path / "fakes", "systemctl", "crontab")
    here = host(tmp_path, fakes)
    set_up(here)
    assert fakes.is_on
    assert not fakes.crontab.exists()
    assert fakes.changes() == [
        "systemctl --user daemon-reload",
        "systemctl --user enable --now afterwit-learn.timer",
    ]
    units = here.user_home / ".config" / "systemd" / "user"
    assert seen(here) == Installed(
        is_installed=True,
        scheduler="systemd",
        cadence="07:45",
        is_running=True,
        places=(str(units / "afterwit-learn.service"), str(units / "afterwit-learn.timer")),
    )


@pytest.mark.parametrize(
    ("platform", "programs"), [("linux", ("systemctl", "crontab")), ("linux", ("crontab",)), ("darwin", ("launchctl",))]
)
@pytest.mark.parametrize("crontab", [None, b"", b"5 4 * * * backup\n", b"5 4 * * * backup"])
def test_taking_it_down_leaves_no_trace(
    tmp_path: Path, platform: str, programs: tuple[str, ...], crontab: bytes | None
) -> None:
    fakes = FakeSchedulers(tmp_path / "fakes", *programs)
    here = host(tmp_path, fakes, platform)
    (here.user_home / "mine").write_text("mine")
    if crontab is not None:
        fakes.crontab.write_bytes(crontab)
    before = contents(tmp_path)
    set_up(here)
    assert seen(here).is_installed
    take_down(here)
    fakes.calls()
    assert contents(tmp_path) == before
    assert not fakes.is_on
    assert seen(here) == Installed()


@pytest.mark.parametrize(
    ("platform", "programs"), [("linux", ("systemctl", "crontab")), ("linux", ("crontab",)), ("darwin", ("launchctl",))]
)
def test_setting_it_up_again_does_nothing(tmp_path: Path, platform: str, programs: tuple[str, ...]) -> None:
    fakes = FakeSchedulers(tmp_path / "fakes", *programs)
    here = host(tmp_path, fakes, platform)
    set_up(here)
    fakes.calls()
    assert plan_install(here, job_for(place(here), here, DAILY)).steps == ()
    set_up(here)
    assert fakes.changes() == []


@pytest.mark.parametrize(
    ("platform", "programs"), [("linux", ("systemctl", "crontab")), ("linux", ("crontab",)), ("darwin", ("launchctl",))]
)
def test_another_cadence_replaces_the_first(tmp_path: Path, platform: str, programs: tuple[str, ...]) -> None:
    here = host(tmp_path, FakeSchedulers(tmp_path / "fakes", *programs), platform)
    set_up(here)
    set_up(here, Cadence.of("hourly"))
    assert (seen(here).cadence, seen(here).is_running) == ("hourly", True)


def test_what_cron_had_goes_when_systemd_takes_over(tmp_path: Path) -> None:
    fakes = FakeSchedulers(tmp_path / "fakes", "systemctl", "crontab")
    here = host(tmp_path, fakes)
    fakes.dead.touch()
    set_up(here)
    assert seen(here).scheduler == "cron"
    fakes.dead.unlink()
    set_up(here)
    assert seen(here).scheduler == "systemd"
    assert not fakes.crontab.exists()


def test_the_job_gets_the_surroundings_of_now(tmp_path: Path) -> None:
    fakes = FakeSchedulers(tmp_path / "fakes", "crontab")
    config = tmp_path / "other.toml"
    config.write_text(f"[store]\nhome = '{tmp_path / 'data'}'\n", encoding="utf-8")
    here = host(tmp_path, fakes, CODEX_HOME="/srv/codex", UNRELATED="1")
    job = job_for(place(here, config, "work"), here, DAILY)
    assert job.command == ("/opt/afterwit", "learn")
    assert job.environment == {
        "HOME": str(here.user_home),
        "AFTERWIT_HOME": str(tmp_path / "data"),
        "AFTERWIT_PROFILE": "work",
        "AFTERWIT_CONFIG": str(config),
        "CODEX_HOME": "/srv/codex",
    }
    assert load(job.environment, "linux").place == place(here, config, "work")


def test_each_store_has_a_job_of_its_own(tmp_path: Path) -> None:
    fakes = FakeSchedulers(tmp_path / "fakes", "crontab")
    usual, other = host(tmp_path, fakes), host(tmp_path, fakes, AFTERWIT_HOME=str(tmp_path / "elsewhere"))
    assert label_for(place(usual), usual) == "afterwit-learn"
    set_up(usual)
    set_up(other, Cadence.of("hourly"))
    assert (seen(usual).cadence, seen(other).cadence) == ("07:45", "hourly")
    take_down(other)
    assert (seen(usual).is_installed, seen(other).is_installed) == (True, False)


def test_a_file_of_someone_else_is_not_overwritten(tmp_path: Path) -> None:
    here = host(tmp_path, FakeSchedulers(tmp_path / "fakes", "systemctl"))
    theirs = here.user_home / ".config" / "systemd" / "user" / "afterwit-learn.timer"
    theirs.parent.mkdir(parents=True)
    theirs.write_text("[Timer]\n", encoding="utf-8")
    with pytest.raises(AfterwitError, match="was not written by afterwit"):
        set_up(here)
    assert theirs.read_text(encoding="utf-8") == "[Timer]\n"


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    here = host(tmp_path, FakeSchedulers(tmp_path / "fakes", "launchctl"), "darwin")
    link = here.user_home / "Library" / "LaunchAgents" / "afterwit-learn.plist"
    link.parent.mkdir(parents=True)
    link.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(AfterwitError, match="was not written by afterwit"):
        set_up(here)
    assert not (tmp_path / "elsewhere").exists()


def test_a_crontab_that_cannot_be_read_is_not_replaced(tmp_path: Path) -> None:
    fakes = FakeSchedulers(tmp_path / "fakes", "crontab")
    fakes.crontab.write_bytes(b"5 4 * * * backup\n")
    fakes.denied.touch()
    with pytest.raises(AfterwitError, match="not allowed to use crontab"):
        set_up(host(tmp_path, fakes))
    assert fakes.changes() == []


def test_a_crontab_program_that_fails_without_a_word_has_its_crontab_left_alone(tmp_path: Path) -> None:
    fakes = FakeSchedulers(tmp_path / "fakes", "crontab")
    fakes.crontab.write_bytes(b"5 4 * * * backup\n")
    fakes.denied.touch()
    script = fakes.path / "crontab"
    script.write_text(
        script.read_text().replace('echo "you are not allowed to use crontab" >&2; ', ""), encoding="utf-8"
    )
    with pytest.raises(AfterwitError, match="`crontab -l` says: nothing"):
        set_up(host(tmp_path, fakes))
    assert fakes.changes() == []
    assert fakes.crontab.read_bytes() == b"5 4 * * * backup\n"


def test_without_any_scheduler_it_says_what_to_call(tmp_path: Path) -> None:
    with pytest.raises(AfterwitError, match="/opt/afterwit learn"):
        set_up(host(tmp_path, FakeSchedulers(tmp_path / "fakes")))


def test_on_windows_it_says_how_to_do_it_by_hand(tmp_path: Path) -> None:
    fakes = FakeSchedulers(tmp_path / "fakes")
    here = host(tmp_path, fakes, "win32", USERPROFILE=str(tmp_path))
    with pytest.raises(AfterwitError, match=r"schtasks .*/opt/afterwit learn"):
        plan_removal(here, "afterwit-learn")
    assert status(here, "afterwit-learn") == Installed()


def test_a_refusal_of_the_scheduler_takes_the_files_back(tmp_path: Path) -> None:
    fakes = FakeSchedulers(tmp_path / "fakes", "systemctl")
    fakes.stubborn.touch()
    here = host(tmp_path, fakes)
    with pytest.raises(AfterwitError, match="unit is masked"):
        set_up(here)
    assert contents(here.user_home) == {}


def test_where_a_change_is_refused_the_earlier_schedule_stays(tmp_path: Path) -> None:
    fakes = FakeSchedulers(tmp_path / "fakes", "systemctl")
    here = host(tmp_path, fakes)
    set_up(here)
    before = contents(here.user_home)
    fakes.stubborn.touch()
    with pytest.raises(AfterwitError, match="Files were put back as they were"):
        set_up(here, Cadence.of("hourly"))
    assert contents(here.user_home) == before


def test_a_change_in_between_stops_it(tmp_path: Path) -> None:
    fakes = FakeSchedulers(tmp_path / "fakes", "crontab")
    here = host(tmp_path, fakes)
    planned = plan_install(here, job_for(place(here), here, DAILY))
    fakes.crontab.write_bytes(b"5 4 * * * new\n")
    with pytest.raises(AfterwitError, match="in the meantime"):
        apply(here, planned)
    assert fakes.crontab.read_bytes() == b"5 4 * * * new\n"


def test_a_scheduler_that_forgets_is_noticed(tmp_path: Path) -> None:
    fakes = FakeSchedulers(tmp_path / "fakes", "crontab")
    script = fakes.path / "crontab"
    script.write_text(script.read_text().replace("-) /bin/cat > ", "-) : "), encoding="utf-8")
    with pytest.raises(AfterwitError, match="did not take it"):
        set_up(host(tmp_path, fakes))


def test_a_folder_with_a_line_break_in_its_name_is_refused(tmp_path: Path) -> None:
    here = host(tmp_path, FakeSchedulers(tmp_path / "fakes", "crontab"), AFTERWIT_HOME="/srv/a\n* * * * * evil")
    with pytest.raises(UsageError, match="another name"):
        job_for(place(here), here, DAILY)


def test_the_planned_files_are_those_that_are_written(tmp_path: Path) -> None:
    here = host(tmp_path, FakeSchedulers(tmp_path / "fakes", "launchctl"), "darwin")
    planned = plan_install(here, job_for(place(here), here, DAILY))
    apply(here, planned)
    files = {str(step.path): step.content for step in planned.steps if isinstance(step, WriteFile)}
    assert contents(here.user_home) == files
