import pytest
from tests.every import for_every

from afterwit.actions.shell.parse import parsed
from afterwit.knowledge.matching import TriggerMoment, fires
from afterwit.model.knowledge import Trigger
from afterwit.model.text.words import words_of


def _on(line: str, signature: str = "") -> TriggerMoment:
    return TriggerMoment(command=parsed(line), signature=signature)


@pytest.mark.parametrize(
    "line",
    [
        "rtk bun run test",
        "cd web && rtk bun run test 2>&1 | tail -5",
        "/usr/local/bin/rtk bun --silent run test",
        "bash -lc 'rtk bun test'",
    ],
)
def test_a_command_fires_in_any_part_of_a_line(line: str) -> None:
    assert fires(Trigger(program="rtk", words=("bun", "test")), _on(line))


@pytest.mark.parametrize("line", ["bun run test", "rtk test bun", "echo rtk bun test", "rtk bun run lint"])
def test_another_command_does_not_fire(line: str) -> None:
    assert not fires(Trigger(program="rtk", words=("bun", "test")), _on(line))


def test_wrappers_may_stand_before_the_program() -> None:
    assert fires(Trigger(program="pytest"), _on("timeout 60 uv run pytest -q"))
    assert fires(Trigger(program="uv", words=("run", "pytest")), _on("timeout 60 uv run pytest -q"))


def test_a_flag_may_carry_a_value() -> None:
    trigger = Trigger(program="gh", words=("pr", "--json"))
    assert fires(trigger, _on("gh pr view 7 --json=merged"))
    assert not fires(trigger, _on("gh pr view 7 --jsonpath"))


def test_a_trigger_that_asks_for_nothing_never_fires() -> None:
    assert not fires(Trigger(), _on("make"))


def test_everything_that_is_asked_for_must_be_there() -> None:
    trigger = Trigger(program="jq", signature="shell:jq:syntax error")
    assert fires(trigger, _on("jq .name", signature="shell:jq:syntax error"))
    assert not fires(trigger, _on("jq .name"))
    assert not fires(trigger, TriggerMoment(signature="shell:jq:syntax error"))


def test_tools_and_rules_fire_by_name() -> None:
    assert fires(Trigger(tool="Edit"), TriggerMoment(tool="Edit"))
    assert not fires(Trigger(tool="Edit"), TriggerMoment(tool="Write"))
    assert fires(Trigger(rule="errcheck"), TriggerMoment(rules=frozenset(("errcheck", "govet"))))
    assert not fires(Trigger(rule="errcheck"), TriggerMoment(rules=frozenset(("govet",))))


def test_a_topic_needs_all_of_its_words() -> None:
    trigger = Trigger(topic=tuple(words_of("cider barrel")))
    assert fires(trigger, TriggerMoment(words=frozenset(words_of("Let the cider barrels roll"))))
    assert not fires(trigger, TriggerMoment(words=frozenset(words_of("Let the barrel roll"))))


@for_every(
    "pattern, path, is_meant",
    [
        ("src/press.py", "src/press.py", True),
        ("src/press.py", "web/src/press.py", False),
        ("press.py", "src/press.py", True),
        ("*.py", "src/press.py", True),
        ("src/*.py", "src/cider/press.py", False),
        ("src/**/press.py", "src/press.py", True),
        ("src/**/press.py", "src/a/b/press.py", True),
        ("src/**", "src/a/b.py", True),
        ("src", "src/a/b.py", True),
        ("src/", "web/src/b.py", True),
        ("pres?.py", "press.py", True),
        ("press.py", "press.pyc", False),
        (".golangci.yaml", "x.golangci.yaml", False),
    ],
)
def test_paths_match_as_in_gitignore(pattern: str, path: str, is_meant: bool) -> None:
    assert fires(Trigger(path=pattern), TriggerMoment(paths=("README.md", path))) is is_meant


def test_lines_are_compared_where_the_text_of_an_edit_is_known() -> None:
    trigger = Trigger(path="a.py", lines=("return 1", "return 2"))
    assert fires(trigger, TriggerMoment(paths=("a.py",)))
    assert fires(trigger, TriggerMoment(paths=("a.py",), edited="x\n    return 2\n"))
    assert not fires(trigger, TriggerMoment(paths=("a.py",), edited="x = 1"))
