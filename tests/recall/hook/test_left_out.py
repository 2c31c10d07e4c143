"""Where the settings leave a place out, hooks say nothing and note nothing."""

from pathlib import Path

import pytest
from tests.recall.hook.conftest import Hook


def asked(hook: Hook) -> str:
    """All that is said at the moments of a session."""
    said = [
        hook.claude("start", source="startup"),
        hook.claude("prompt", prompt="Test it"),
        hook.failed("pnpm test --fast", "unknown option --fast"),
        hook.claude("end", hook_event_name="Stop"),
    ]
    assert {answer.code for answer in said} == {0}
    return "".join(answer.stdout for answer in said)


def test_without_the_setting_there_is_something_to_say_and_to_note(hook: Hook) -> None:
    assert asked(hook)
    assert hook.waiting()


@pytest.mark.parametrize(
    "entry",
    ["folder:{project}", "folder:{above}/**", "repo:team/*", "repo:orchard", "agent:claude-*"],
)
def test_nothing_is_said_or_noted_in_a_place_that_is_left_out(hook: Hook, entry: str) -> None:
    hook.compile(exclude=(entry.format(project=hook.project, above=hook.project.parent),))
    assert asked(hook) == ""
    assert hook.waiting() == []
    assert list(hook.layout.spool.glob("*.jsonl")) == []


def test_a_checkout_that_was_never_learned_is_known_by_its_remote(hook: Hook, tmp_path: Path) -> None:
    clone = tmp_path / "fresh" / "clone"
    (clone / ".git").mkdir(parents=True)
    config = '[remote "origin"]\n\turl = git@github.com:work/ledger.git\n'
    (clone / ".git" / "config").write_text(config, encoding="utf-8")
    hook.compile(exclude=("repo:work/*",))
    hook.project = clone
    assert asked(hook) == ""
    assert hook.waiting() == []


def test_other_places_hear_and_note_as_ever(hook: Hook) -> None:
    hook.compile(exclude=("folder:/srv/elsewhere", "repo:other/*", "agent:gemini"))
    assert asked(hook)
    assert hook.waiting()
