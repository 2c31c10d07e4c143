"""What an item relies on, and when it is outdated because that is gone."""

import pytest
from tests.knowledge.drafting import HARBOUR, ORCHARD, draft, piece

from afterwit.knowledge.gone import RETURNS, GoneSubjects, gone_reason
from afterwit.model.knowledge import Category, Draft, Scope, ScopeKind

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


@pytest.mark.parametrize(
    ("seen", "newest", "is_gone"),
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
