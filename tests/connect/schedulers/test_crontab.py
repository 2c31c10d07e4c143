"""Our block in a crontab, and nothing else of it."""

import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from afterwit.connect.schedulers import Cadence, Job, RunProgram, Steps, block_in, crontab_cadence, plan_crontab
from afterwit.model.errors import AfterwitError

LABEL = "afterwit-learn"
THEIRS = b"# mine\nMAILTO=robin\n5 4 * * * backup\n"


def job(cadence: str = "07:45", program: str = "/opt/afterwit", **environment: str) -> Job:
    return Job(LABEL, (program, "learn"), environment, Cadence.of(cadence))


def applied(before: bytes | None, steps: Steps) -> bytes | None:
    """What `crontab` makes of it."""
    for step in steps:
        assert isinstance(step, RunProgram)
        before = None if step.arguments == ("crontab", "-r") else step.stdin
    return before


def installed(before: bytes | None, what: Job | None = None) -> bytes:
    after = applied(before, plan_crontab(LABEL, what or job(), before, has_ionice=False))
    assert after is not None
    return after


def removed(before: bytes) -> bytes | None:
    return applied(before, plan_crontab(LABEL, None, before, has_ionice=False))


def test_the_block_comes_after_what_is_there() -> None:
    block = installed(THEIRS).removeprefix(THEIRS).decode()
    assert block.splitlines() == [
        "# >>> afterwit-learn >>> Written by `afterwit connect schedule`; `--off` removes it.",
        "45 7 * * * nice -n 10 env /opt/afterwit learn >/dev/null 2>&1",
        "# <<< afterwit-learn <<<",
    ]


lines = st.lists(st.binary(max_size=12).map(lambda line: line.replace(b"\n", b" ")), max_size=5)


@given(st.none() | st.builds(lambda parts, end: b"\n".join(parts) + end, lines, st.sampled_from([b"", b"\n"])))
def test_removing_it_restores_every_byte(before: bytes | None) -> None:
    assert removed(installed(before)) == before


@given(st.sampled_from([None, b"", THEIRS, b"5 4 * * * x"]))
def test_lines_that_were_added_later_stay(before: bytes | None) -> None:
    later = b"1 1 * * * later\n"
    rest = removed(installed(before) + later)
    assert rest is not None
    assert rest.endswith(later)
    assert b"afterwit" not in rest
    assert rest.startswith(before or b"")


def test_setting_it_up_twice_changes_nothing() -> None:
    assert plan_crontab(LABEL, job(), installed(THEIRS), has_ionice=False) == ()


def test_another_time_replaces_the_block_where_it_is() -> None:
    after = installed(installed(THEIRS) + b"later\n", job("hourly"))
    assert after.startswith(THEIRS)
    assert after.endswith(b"# <<< afterwit-learn <<<\nlater\n")
    assert after.count(b">>> afterwit-learn >>>") == 1
    assert crontab_cadence(block_in(after, LABEL)) == Cadence.of("hourly")


def test_the_block_of_another_store_is_none_of_ours() -> None:
    other = Job(f"{LABEL}-0a0b", ("/opt/afterwit", "learn"), {}, Cadence.of("01:00"))
    both = applied(installed(THEIRS), plan_crontab(other.label, other, installed(THEIRS), has_ionice=False))
    assert both is not None
    rest = removed(both)
    assert rest is not None
    assert block_in(rest, other.label)
    assert not block_in(rest, LABEL)


def test_without_a_block_there_is_nothing_to_remove() -> None:
    assert plan_crontab(LABEL, None, THEIRS, has_ionice=False) == ()
    assert plan_crontab(LABEL, None, None, has_ionice=False) == ()


@pytest.mark.parametrize("lost", [b"# <<< afterwit-learn <<<\n", b"# >>> afterwit-learn"])
def test_half_a_block_is_left_to_people(lost: bytes) -> None:
    damaged = installed(THEIRS).replace(lost, b"#")
    with pytest.raises(AfterwitError, match="crontab -e"):
        plan_crontab(LABEL, None, damaged, has_ionice=False)


def test_odd_characters_reach_the_shell_as_they_are() -> None:
    odd = "/a b/50%/it's$HOME"
    line = installed(None, job(program="/bin/echo", FOLDER=odd)).decode().splitlines()[1]
    command = line.removeprefix("45 7 * * * nice -n 10 ").removesuffix(" >/dev/null 2>&1")
    as_cron_has_it = command.replace("\\%", "%").replace("/bin/echo learn", "/bin/sh -c 'printf %s \"$FOLDER\"'")
    done = subprocess.run(["/bin/sh", "-c", as_cron_has_it], capture_output=True, text=True, check=True)
    assert "%" not in command.replace("\\%", "")
    assert done.stdout == odd


def test_io_priority_is_lowered_where_that_is_possible() -> None:
    step = plan_crontab(LABEL, job(), None, has_ionice=True)[0]
    assert isinstance(step, RunProgram)
    assert b"nice -n 10 ionice -c 3 env" in step.stdin
