from typing import Any

import pytest

from afterwit.agents.declared.parsing import description_of, table_of
from afterwit.model.errors import UsageError


def table(*maps: str, sniffs: tuple[str, ...] = ("type=hello",)) -> dict[str, Any]:
    return table_of("tinker", ["*.jsonl"], ["~/.tinker"], sniffs, maps)


def rule(text: str) -> dict[str, Any]:
    found: dict[str, Any] = table(text)["event"][0]
    return found


def test_keys_of_the_description_are_set() -> None:
    found = table("session=run.id", "time=ts", "time_unit=ms")
    assert found == {
        "name": "tinker",
        "homes": ["~/.tinker"],
        "transcripts": ["*.jsonl"],
        "sniff": {"type": "hello"},
        "session": "run.id",
        "time": "ts",
        "time_unit": "ms",
    }


@pytest.mark.parametrize(
    ("sniffs", "condition"),
    [
        (("type=hello",), {"type": "hello"}),
        (("type==hello", "v=3"), {"type": "hello", "v": 3}),
        (("usage",), {"usage": {"exists": True}}),
        (("ok=true", "role=user|model"), {"ok": True, "role": ["user", "model"]}),
    ],
)
def test_a_sniff_is_a_condition(sniffs: tuple[str, ...], condition: dict[str, Any]) -> None:
    assert table(sniffs=sniffs)["sniff"] == condition


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "prompt type==user text=message.content",
            {"when": {"type": "user"}, "kind": "prompt", "text": "message.content"},
        ),
        (
            "call each=message.calls[] role==model .type==tool tool=function.name id=ref arguments=function.arguments",
            {
                "when": {"role": "model"},
                "each": "message.calls[]",
                "where": {"type": "tool"},
                "kind": "call",
                "tool": "function.name",
                "id": "ref",
                "arguments": "function.arguments",
            },
        ),
        (
            "call event==exec tool_name=shell arguments.command=cmd arguments.workdir=in",
            {
                "when": {"event": "exec"},
                "kind": "call",
                "tool_name": "shell",
                "arguments": {"command": "cmd", "workdir": "in"},
            },
        ),
        (
            "result event==exec text=out exit_code=code failed=state==lost|broken",
            {
                "when": {"event": "exec"},
                "kind": "result",
                "text": "out",
                "exit_code": "code",
                "failed": {"state": ["lost", "broken"]},
            },
        ),
        (
            "reply 'full text' text='full text'",
            {"when": {"full text": {"exists": True}}, "kind": "reply", "text": "full text"},
        ),
    ],
)
def test_a_rule_in_words_becomes_an_event(text: str, expected: dict[str, Any]) -> None:
    assert rule(text) == expected
    assert list(rule(text)) == list(expected)
    description_of(table(text), "tinker.toml")


def test_facts_spending_and_what_is_ignored_have_rules_too() -> None:
    found = table(
        "prompt text=a", "facts cwd=dir", "spend usage input=usage.in input_includes_cache=true", "ignore type==ping"
    )
    assert found["facts"] == [{"cwd": "dir"}]
    assert found["spend"] == [{"when": {"usage": {"exists": True}}, "input": "usage.in", "input_includes_cache": True}]
    assert found["ignore"] == [{"type": "ping"}]
    assert description_of(found, "tinker.toml").spend[0].input_includes_cache


@pytest.mark.parametrize("text", ["", " ", "promt type==user text=a", "colour=red", "session=a b", "prompt 'text=a"])
def test_what_is_no_map_is_refused_with_what_is_allowed(text: str) -> None:
    with pytest.raises(UsageError, match=r"--map"):
        table(text)
