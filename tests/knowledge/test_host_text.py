from tests.knowledge.drafting import NOW_MS, draft

from afterwit.harvest.statements import attribute
from afterwit.knowledge.host_text import HostText, repeats_host, where_said
from afterwit.model.knowledge import Channel, Draft, Trigger
from afterwit.redaction.markers import marked

AGENTS = """# Orchard

## Tests
Run `bun run test` before you push,
and look at what it prints.

- Never squash commits of the harvest.
- Rule `noArrayIndexKey` wants stable keys.

```sh
$ bun run lint
```
"""
HOST = HostText.of({"AGENTS.md": AGENTS})


def said_by_host(asked: Draft, host: HostText) -> bool:
    return where_said(asked, host) is not None


def test_files_are_read_passage_by_passage() -> None:
    assert [(one.line, one.heading, one.is_code) for one in HOST.passages] == [
        (4, "Tests", False),
        (7, "Tests", False),
        (8, "Tests", False),
        (11, "Tests", True),
    ]
    assert HOST.passages[0].text == "Run `bun run test` before you push, and look at what it prints."
    assert HOST.passages[3].text == "bun run lint"


def test_a_command_that_is_named_there_is_known() -> None:
    found = draft("Tests run with `bun run test`.", advice="bun run test", triggers=(Trigger(program="bun"),))
    assert said_by_host(found, HOST)
    assert not said_by_host(draft("Tests run with `bun test`.", advice="bun test"), HOST)
    assert not said_by_host(draft("Run `bun run test:unit`.", advice="bun run test:unit"), HOST)


def test_a_cure_is_only_known_where_its_ailment_is() -> None:
    cure = draft("Call `bun run test` without `rtk`.", advice="bun run test", triggers=(Trigger(program="rtk"),))
    assert not said_by_host(cure, HOST)
    assert said_by_host(cure, HostText.of({"CLAUDE.md": "`rtk` does not wrap bun: use `bun run test`."}))


def test_a_rule_that_is_named_there_is_known() -> None:
    assert said_by_host(draft("Keys must be stable.", triggers=(Trigger(rule="noArrayIndexKey"),)), HOST)
    assert not said_by_host(draft("Keys must be stable.", triggers=(Trigger(rule="noVar"),)), HOST)


def test_a_statement_is_known_where_its_words_are_with_the_same_sign() -> None:
    never = attribute(NOW_MS, "please never squash harvest commits")
    always = attribute(NOW_MS, "please always squash harvest commits")
    assert said_by_host(draft(never, channel=Channel.USER), HOST)
    assert not said_by_host(draft(always, channel=Channel.USER), HOST)


def test_the_passage_that_says_it_is_told() -> None:
    found = where_said(draft("Lint runs with `bun run lint`.", advice="bun run lint"), HOST)
    assert found is not None
    assert (found.path, found.line) == ("AGENTS.md", 11)


def test_blocks_of_ours_in_a_file_are_not_the_hosts_word() -> None:
    host = HostText.of({"AGENTS.md": marked("Run `bun run test`.")})
    assert host.passages == ()
    assert not said_by_host(draft(advice="bun run test"), host)


def test_without_files_nothing_is_known() -> None:
    assert not said_by_host(draft(), HostText.of({}))


def test_repetition_is_word_for_word() -> None:
    assert repeats_host("never squash commits of the harvest", HOST)
    assert not repeats_host("never squash commits", HOST)
    assert not repeats_host("never squash any commits of the harvest", HOST)


def test_a_command_that_is_only_forbidden_there_is_not_known() -> None:
    def is_known(text: str) -> bool:
        return said_by_host(draft("Build with `make all`.", advice="make all"), HostText.of({"AGENTS.md": text}))

    assert not is_known("Workers must not run `make deps`, `make all` or the tests.")
    assert not is_known("Don't use `make all` directly.")
    assert is_known("Never commit without running `make all`.")
    assert is_known("Do not push until `make all` passes.")
    assert is_known("Do not use ninja, use `make all`.")
    assert is_known("Never call ninja directly. Build with `make all`.")


def test_commands_of_a_list_may_stand_anywhere_but_all_must() -> None:
    both = "In `orchard`: tests `bun run test`, lint `bun run lint`."
    three = "In `orchard`: tests `bun run test`, lint `bun run lint`, build `bun run build`."
    assert said_by_host(draft(both, advice="bun run test"), HOST)
    assert not said_by_host(draft(three, advice="bun run test"), HOST)


def test_commands_that_belong_together_stand_below_one_heading() -> None:
    hook = "## Pre-commit hook\n- `make test`: all pass\n- `make lint`: no findings\n"
    before = draft(
        "Before committing run `make test`, then `make lint`.",
        advice="make test && make lint",
        triggers=(Trigger(program="git", words=("commit",)),),
    )
    assert said_by_host(before, HostText.of({"AGENTS.md": hook}))
    assert not said_by_host(before, HostText.of({"AGENTS.md": hook.replace("Pre-commit hook", "Checks")}))
    assert not said_by_host(before, HostText.of({"AGENTS.md": hook.replace("- `make lint`", "## Lint\n- `make lint`")}))


def test_a_better_command_is_known_by_its_name_and_that_of_the_worse() -> None:
    better = draft("Call `uv run python`.", advice="python → uv run python …", triggers=(Trigger(program="python"),))
    instead = draft("Call `od -c`.", advice="cat -A → od -c", triggers=(Trigger(program="cat"),))
    assert said_by_host(better, HostText.of({"AGENTS.md": "Scripts run with `uv run python`."}))
    assert not said_by_host(instead, HostText.of({"AGENTS.md": "`od -c` shows bytes."}))
    assert said_by_host(instead, HostText.of({"AGENTS.md": "There is no `cat -A`: call `od -c`."}))


def test_what_puts_a_rule_right_is_known_where_the_rule_is_named() -> None:
    fix = draft("`noVar` keeps failing.", advice="bun run lint:fix", triggers=(Trigger(rule="noVar"),))
    assert not said_by_host(fix, HostText.of({"AGENTS.md": "bun run lint:fix"}))
    assert said_by_host(fix, HostText.of({"AGENTS.md": "`bun run lint:fix` puts `noVar` right."}))
