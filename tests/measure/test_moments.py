"""The moments in which a note would have helped: chosen by what was said in time, and by what it would have spared."""

from pathlib import Path

from tests.homes import learned, world_of
from tests.measure.histories import HOUR_S, MISSING, Log
from tests.measure.replaying import replayed

from afterwit.measure.backtest import PRODUCT
from afterwit.measure.scores import HelpfulMoment, best_moments


def moment(session: str, spared: int, *, item: str = "a", command: str = "npm run tset") -> HelpfulMoment:
    return HelpfulMoment(
        at_ms=0,
        session=session,
        agent="codex",
        repo="orchard",
        prompt="" if command else "Press apples",
        command=command,
        error="",
        said="Use another.",
        item=item,
        until="src/press.ts",
        spared_actions=spared,
        spared_seconds=None,
    )


def moments_of(tmp_path: Path, *logs: Log) -> list[HelpfulMoment]:
    for log in logs:
        log.put(tmp_path / "home")
    learned(tmp_path / "home", tmp_path / "store")
    world = world_of(tmp_path / "home", tmp_path / "store")
    return replayed(world, PRODUCT).moments


def mended(number: int, *, looks: int = 0) -> Log:
    """A command that fails, a look around, and the command that works."""
    log = Log(number, number * HOUR_S).prompt(f"Press {number} apples")
    log.shell("npm run tset", MISSING, fails=True)
    for look in range(looks):
        log.shell(f"ls src/press{look}")
    return log.shell("npm run test", "12 passing")


def laid_out(*, files: int = 25) -> Log:
    log = Log(0, 0).prompt("Lay out the orchard")
    for number in range(files):
        log.edit(f"src/row{number:02d}.ts")
    return log


def test_those_that_spare_most_come_first_and_each_session_once() -> None:
    moments = [moment("s1", 2), moment("s1", 5, item="b"), moment("s2", 3, item="c")]
    assert [(best.session, best.spared_actions) for best in best_moments(moments, 3)] == [("s1", 5), ("s2", 3)]


def test_the_same_matter_comes_again_only_where_there_is_no_other() -> None:
    repeated = [moment(f"s{number}", 10 - number) for number in range(4)]
    other = moment("other", 1, item="b")
    assert [best.session for best in best_moments([*repeated, other], 3)] == ["s0", "s1", "other"]
    assert [best.session for best in best_moments(repeated, 3)] == ["s0", "s1", "s2"]


def test_a_fix_that_was_known_by_then_spares_the_actions_until_it_was_found(tmp_path: Path) -> None:
    logs = [*(mended(number) for number in range(1, 5)), mended(5, looks=3)]
    (best,) = moments_of(tmp_path, *logs)
    assert (best.session, best.command, best.until) == (logs[4].session, "npm run tset", "npm run test")
    assert (best.spared_actions, best.spared_seconds) == (3, 8)
    assert "npm run test" in best.said


def test_a_first_mistake_is_no_moment_however_long_it_took(tmp_path: Path) -> None:
    assert moments_of(tmp_path, mended(1, looks=6), mended(2), mended(3)) == []


def asked(prompt: str) -> Log:
    log = Log(9, 9 * HOUR_S).prompt(prompt)
    for number in range(7):
        log.search(f"apple{number}")
    return log


def pressed(number: int) -> Log:
    return Log(number, number * HOUR_S).prompt("Make the cider press turn faster").edit("src/press.ts")


def test_a_file_that_was_named_spares_the_searches_for_it(tmp_path: Path) -> None:
    log = asked("Make the cider press turn slower").edit("src/press.ts")
    (best,) = moments_of(tmp_path, laid_out(), pressed(1), pressed(2), log)
    assert (best.prompt, best.until) == ("Make the cider press turn slower", "src/press.ts")
    assert 3 <= best.spared_actions <= 7
    assert "src/press.ts" in best.said


def test_a_file_that_the_prompt_names_itself_is_no_moment(tmp_path: Path) -> None:
    log = asked("Make the cider press in press.ts turn slower").edit("src/press.ts")
    assert moments_of(tmp_path, laid_out(), pressed(1), pressed(2), log) == []


def test_a_file_that_a_later_prompt_was_about_is_no_moment(tmp_path: Path) -> None:
    log = asked("Make the cider press turn slower").prompt("And now the other one").edit("src/press.ts")
    assert moments_of(tmp_path, laid_out(), pressed(1), pressed(2), log) == []
