import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.every import for_every
from tests.thoroughness import examples

from afterwit.hook.call import LONGEST, summary


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
