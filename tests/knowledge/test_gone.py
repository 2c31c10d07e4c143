"""What an item relies on, and when it is outdated because that is gone."""

import pytest
from tests.every import for_every
from tests.knowledge.drafting import HARBOUR, ORCHARD, draft, piece

from afterwit.actions.shell.project_calls import CallKind, ProjectCall
from afterwit.knowledge.gone import RETURNS, GoneSubjects, gone_reason, reliance_of
from afterwit.model.knowledge import EVERYWHERE, READ, STANDING, Category, Channel, Draft, Scope, ScopeKind, Trigger

_CLAUDE = Scope(ScopeKind.AGENT, "claude-code")
PRESS_GONE = f"`press.py` is gone from the repository; {RETURNS}"


def _place(*files: str) -> Draft:
    return draft("Work on the press is in these files.", files=files, category=Category.FACT)


@pytest.mark.parametrize(
    ("files", "reason"),
    [
        (("press.py",), PRESS_GONE),
        (("press.py", "barrel.py"), PRESS_GONE),
        (("barrel.py", "cider.py", "press.py"), ""),
        (("barrel.py",), ""),
        ((), ""),
    ],
)
def test_an_item_is_stale_when_half_of_its_files_are_gone(files: tuple[str, ...], reason: str) -> None:
    assert gone_reason(_place(*files), GoneSubjects(files={ORCHARD.name: frozenset(("press.py",))})) == reason


def test_a_file_that_is_gone_elsewhere_does_not_matter() -> None:
    assert not gone_reason(_place("press.py"), GoneSubjects(files={HARBOUR.name: frozenset(("press.py",))}))


@for_every(
    "seen, newest, is_gone",
    [
        ("2.1.150", "2.1.163", False),
        ("0.98.0", "0.100.1", False),
        ("0.98.0", "0.101.0", True),
        ("1.9.4", "2.0.0", True),
        ("2.0.0", "1.9.4", True),
        ("0.101.0", "0.98.0", True),
        ("0.100.0", "0.98.0", False),
        ("", "2.0.0", False),
    ],
)
def test_a_quirk_is_stale_when_the_agent_has_another_version_now(seen: str, newest: str, is_gone: bool) -> None:
    quirk = draft(scope=_CLAUDE, category=Category.TOOL_QUIRK, evidence=(piece("one", version=seen),))
    assert bool(gone_reason(quirk, GoneSubjects(versions={"claude-code": newest}))) is is_gone


def test_a_quirk_seen_again_in_the_newest_version_stays() -> None:
    evidence = (piece("one", version="0.9.0"), piece("two", version="0.98.0"))
    assert not gone_reason(draft(scope=_CLAUDE, evidence=evidence), GoneSubjects(versions={"claude-code": "0.99.0"}))


@pytest.mark.parametrize(
    ("now", "is_gone"), [("0.159.0", False), ("0.161.0", True), ("0.98.0", False), ("1.0.0", True)]
)
def test_a_quirk_that_has_outlived_many_versions_may_outlive_as_many_more(now: str, is_gone: bool) -> None:
    evidence = (piece("one", version="0.118.0"), piece("two", version="0.139.0"))
    reason = gone_reason(draft(scope=_CLAUDE, evidence=evidence), GoneSubjects(versions={"claude-code": now}))
    assert reason == (f"seen with claude-code 0.139.0, now {now}" if is_gone else "")


def test_the_version_of_an_agent_does_not_matter_to_what_holds_in_a_repository() -> None:
    sandboxed = draft(agents=("claude-code",), evidence=(piece("one", version="0.9.0"),))
    assert not gone_reason(sandboxed, GoneSubjects(versions={"claude-code": "1.0.0"}))


def _gone(*files: str, calls: dict[ProjectCall, str] | None = None) -> GoneSubjects:
    return GoneSubjects(files={ORCHARD.name: frozenset(files)}, calls={ORCHARD.name: calls or {}})


def _make(name: str) -> ProjectCall:
    return ProjectCall(CallKind.MAKE, name)


NO_PRESS = {_make("press"): "`Makefile` has no target `press` any more"}


def test_an_item_is_stale_when_its_advice_cannot_run_any_more() -> None:
    advised = draft(advice="make press && make weigh")
    assert gone_reason(advised, _gone(calls=NO_PRESS)) == f"`Makefile` has no target `press` any more; {RETURNS}"
    assert not gone_reason(draft(advice="make weigh"), _gone(calls=NO_PRESS))
    assert not gone_reason(draft(advice="make press", scope=EVERYWHERE), _gone(calls=NO_PRESS))
    assert not gone_reason(draft(advice="make press", scope=HARBOUR), _gone(calls=NO_PRESS))


def test_the_wrong_command_of_a_correction_may_be_gone() -> None:
    corrected = draft("Instead of `make press …`, which fails, call `make weigh …`.", advice="make press → make weigh")
    assert not gone_reason(corrected, _gone(calls=NO_PRESS))
    assert gone_reason(draft(advice="make weigh → make press"), _gone(calls=NO_PRESS))


def test_the_wrong_path_may_be_gone_but_not_the_right_one() -> None:
    told = draft(
        "There is no `old/press.py`: it is `src/press.py`.",
        triggers=(Trigger(path="old/press.py"),),
        advice="old/press.py → src/press.py",
        files=("src/press.py",),
    )
    assert not gone_reason(told, _gone("old/press.py"))
    assert gone_reason(told, _gone("src/press.py"))


def test_an_item_that_can_never_be_shown_again_is_stale() -> None:
    bound = draft(triggers=(Trigger(path="src/press.py"), Trigger(path="src/mill.py")))
    assert not gone_reason(bound, _gone("src/press.py"))
    assert gone_reason(bound, _gone("src/press.py", "src/mill.py"))
    mixed = draft(triggers=(Trigger(path="src/press.py"), Trigger(topic=("pears",))))
    assert not gone_reason(mixed, _gone("src/press.py"))


def test_a_users_words_outlive_all_but_the_last_of_their_files() -> None:
    said = draft(harvester=READ, channel=Channel.USER, files=("press.py", "mill.py", "row.py"))
    assert not gone_reason(said, _gone("press.py", "mill.py"))
    assert gone_reason(said, _gone("press.py", "mill.py", "row.py"))


@pytest.mark.parametrize("harvester", [READ, STANDING])
def test_a_users_words_are_not_searched_for_commands(harvester: str) -> None:
    said = draft("From now on run `make press` first.", harvester=harvester, channel=Channel.USER)
    assert not gone_reason(said, _gone(calls=NO_PRESS))


@for_every(
    "sentence, is_stale",
    [
        ("Run `make press` before a commit.", True),
        ("Run `make press`, not `make weigh`.", True),
        ("`make weigh` is slow; use `make press`.", True),
        ("Run `make press` and `make weigh` before a commit.", True),
        ("Run `make weigh`, `make row` and `make press`.", False),
        ("Do not run `make press` here.", False),
        ("Do not run `make weigh`, `make press` or others.", False),
        ("Instead of `make press`, call `make weigh`.", False),
        ("`make press` was replaced by `make weigh`.", False),
        ("`make press` fails where the wheel is stuck.", False),
        ("The press is turned by hand: make press.", False),
    ],
)
def test_of_what_a_model_read_the_commands_that_it_tells_to_call_count(sentence: str, is_stale: bool) -> None:
    read = draft(sentence, harvester=READ, channel=Channel.ASSISTANT)
    assert bool(gone_reason(read, _gone(calls=NO_PRESS))) is is_stale


def test_of_what_a_model_read_a_path_that_it_warns_of_does_not_count() -> None:
    sentence = "Edit `src/press.py`; `old/press.py` is not used any more."
    read = draft(sentence, harvester=READ, channel=Channel.ASSISTANT, files=("src/press.py", "old/press.py"))
    assert not gone_reason(read, _gone("old/press.py"))
    assert gone_reason(read, _gone("src/press.py"))


def test_proven_commands_outlive_what_they_say_not_to_call() -> None:
    sentence = "In orchard: tests `make weigh` (about 3 min, not `make press`), lint `make lint`"
    proven = draft(sentence, harvester="proven-commands", advice="make weigh")
    assert {call.name for call in reliance_of(proven).calls} == {"weigh", "lint"}
    assert not gone_reason(proven, _gone(calls=NO_PRESS))


def test_only_sentences_that_are_known_to_tell_commands_are_searched() -> None:
    assert reliance_of(draft("Run `make press` before a commit.")).calls == frozenset()
