import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.every import for_every
from tests.thoroughness import examples

from afterwit.recall.hook.call import LONGEST, summary, tool_name


@for_every(
    "text, kept",
    [
        ("git commit -m 'a word'", "git commit -m 'a word'"),
        ("uv run pytest tests/test_a.py", "uv run pytest tests/test_a.py"),
        ("mysql --password hunter2 db", "mysql --password … db"),
        ("API_KEY=abc make deploy", "API_KEY=… make deploy"),
        ("deploy token= abc now", "deploy token=… … now"),
        ("curl https://user:pw@host.example", "curl …"),
        ("curl -H Authorization: Bearer abcdef", "curl -H Authorization: … …"),
        ("send to someone@example.org now", "send to … now"),
        ("echo 4111111111111111 5500000000000004", "echo …"),
        ("mcp__github__get_issue TodoWrite HttpClientTest", "mcp__github__get_issue TodoWrite HttpClientTest"),
        ("", ""),
    ],
)
def test_only_plain_words_are_kept(text: str, kept: str) -> None:
    assert summary(text).replace("… …", "…") == kept.replace("… …", "…")


def test_tokens_are_never_kept() -> None:
    for token in ("ghp_" + "a1B2c3D4" * 5, "sk-" + "proj-" + "Ab1" * 16, "AKIA" + "Q7W8E9R0" * 2, "f" * 40):
        assert token not in summary(f"deploy {token} --now {token}")


@settings(max_examples=examples(100))
@given(st.text())
def test_it_is_short_and_one_line(text: str) -> None:
    found = summary(text)
    assert len(found) <= LONGEST
    assert len(found.splitlines()) <= 1


@pytest.mark.parametrize(
    "secret", ["AKIAQWERTYUIOPLKJHGF", "AKIA3QWERTYUIOPLKJHG", "xKqPmZtWvRbN", "-pswordfish", "QwErTyUiOpAsDfGh"]
)
def test_a_word_that_could_have_been_drawn_is_not_noted(secret: str) -> None:
    assert secret not in summary(f"mixer run {secret} now")


@for_every(
    "tool",
    [
        *("Bash", "TodoWrite", "exec_command", "functions.shell", "github:getPR", "gpt4o", "mcp__s3__base64Encode"),
        "mcp__playwright__browser_take_screenshot",
        "mcp__claude_ai_Google_Drive__fetchJSONFromURLs",
        "mcp__plugin_context7_context7__get-library-docs",
        "_".join(["word"] * 25),
    ],
)
def test_the_name_of_a_tool_stays(tool: str) -> None:
    assert tool_name(tool) == tool


@for_every(
    "tool",
    [
        *("ghp_" + "a1B2c3D4" * 5, "sk-" + "proj-" + "Ab1" * 16, "AKIA" + "Q7W8E9R0" * 2, "f" * 40, "x" * 129),
        *("AKIAQWERTYUIOPLKJHGF", "xKqPmZtWvRbN", "QwErTyUiOpAsDfGh", "mcp__4111111111111111__pay", "a@b.example"),
    ],
)
def test_a_name_that_could_be_a_secret_does_not(tool: str) -> None:
    assert tool not in tool_name(tool)
