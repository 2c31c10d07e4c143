from tests.knowledge.written import item

from afterwit.knowledge.host_text import HostText
from afterwit.knowledge.reconcile import contradictions


def test_an_item_and_a_file_that_name_different_programs_contradict_each_other() -> None:
    known = item("0b0b0b0b0b0b", sentence="Tests run with `bun run test`.", advice="bun run test")
    [found] = contradictions([known], HostText.of({"AGENTS.md": "Run `npm test` first."}))
    assert found.about == "the command for test"
    assert {(one.name, one.line) for one in (found.one, found.other)} == {("0b0b0b0b0b0b", 0), ("AGENTS.md", 1)}


def test_the_same_program_or_another_purpose_does_not() -> None:
    known = item(sentence="Tests run with `bun run test`.", advice="bun run test")
    assert contradictions([known], HostText.of({"AGENTS.md": "Run `bun test` or `npm run lint`."})) == []


def test_what_a_file_warns_of_is_not_what_it_names() -> None:
    known = item(sentence="Tests run with `bun run test`.", advice="bun run test")
    assert contradictions([known], HostText.of({"AGENTS.md": "Do not run `npm test`."})) == []


def test_a_program_behind_another_is_another() -> None:
    known = item(sentence="Tests run with `uv run pytest`.", advice="uv run pytest")
    assert len(contradictions([known], HostText.of({"AGENTS.md": "```\npytest\n```"}))) == 1


def test_two_files_can_contradict_each_other() -> None:
    host = HostText.of({"AGENTS.md": "Use `npm test`.", "CLAUDE.md": "Use `bun run test`."})
    assert [(one.one.name, one.other.name) for one in contradictions([], host)] == [("AGENTS.md", "CLAUDE.md")]


def test_one_file_that_offers_two_ways_does_not_contradict_itself() -> None:
    assert contradictions([], HostText.of({"AGENTS.md": "Use `npm test` or `make test`."})) == []


def test_always_and_never_about_the_same_thing_contradict_each_other() -> None:
    host = HostText.of(
        {"AGENTS.md": "- Always squash commits of a harvest.", "CLAUDE.md": "- Never squash harvest commits."}
    )
    [found] = contradictions([], host)
    assert found.about == "commit harvest squash"


def test_two_items_alone_are_not_the_hosts_business() -> None:
    one = item("0b0b0b0b0b0b", sentence="Always squash harvest commits.", advice="")
    other = item("0c0c0c0c0c0c", sentence="Never squash harvest commits.", advice="")
    assert contradictions([one, other], HostText.of({})) == []
