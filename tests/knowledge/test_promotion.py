import pytest
from tests.knowledge.drafting import HARBOUR, ORCHARD, draft, piece

from afterwit.harvest.harvester import id_of
from afterwit.knowledge.merging import depends_on_repo, merged
from afterwit.model.knowledge import EVERYWHERE, Category, Channel, Draft, Scope, ScopeKind, Trigger


def _twice(sentence: str = "Quote the filter of `jq`.", **more: object) -> tuple[Draft, Draft]:
    """The same matter in two repositories."""
    key = ("jq",)
    return (
        draft(sentence, key=key, scope=ORCHARD, evidence=(piece("one"),), **more),
        draft(sentence, key=key, scope=HARBOUR, evidence=(piece("two"),), **more),
    )


def test_a_pitfall_of_two_repositories_holds_everywhere() -> None:
    drafts = _twice()
    (union,) = merged(drafts).unions
    assert union.draft.scope == EVERYWHERE
    assert len(union.draft.evidence) == 2
    assert union.absorbed == tuple(sorted(map(id_of, drafts)))


def test_the_name_of_the_repository_is_left_out() -> None:
    one = draft("In `orchard`, quote the filter of `jq`.", key=("jq",), scope=ORCHARD)
    other = draft("In `harbour`, quote the filter of `jq`.", key=("jq",), scope=HARBOUR, evidence=(piece("two"),))
    (promoted,) = merged((one, other)).drafts
    assert promoted.sentence == "Quote the filter of `jq`."


@pytest.mark.parametrize(
    ("sentence", "more"),
    [
        ("Use `make check` for the tests.", {}),
        ("Use `npm run lint` before you commit.", {}),
        ("Run `bun test` alone.", {"advice": "bun test"}),
        ("The schema is `src/schema.sql`.", {}),
        ("Quote the filter.", {"files": ("filter.jq",)}),
        ("Quote the filter.", {"triggers": (Trigger(path="src/**"),)}),
        ("Return errors.", {"triggers": (Trigger(rule="errcheck"),)}),
        ("Work on the press is in one file.", {"triggers": (Trigger(topic=("press",)),)}),
        ("The press in orchard and harbour turns left.", {}),
    ],
)
def test_what_depends_on_a_repository_stays_there(sentence: str, more: dict[str, object]) -> None:
    assert {each.scope for each in merged(_twice(sentence, **more)).drafts} == {ORCHARD, HARBOUR}


def test_facts_measured_in_repositories_stay_there() -> None:
    assert len(merged(_twice("Tests run with `go test`.", category=Category.FACT)).drafts) == 2


def test_what_a_user_says_in_two_repositories_holds_everywhere() -> None:
    drafts = _twice("Ask before you delete data.", category=Category.PATTERN, channel=Channel.USER)
    assert [each.scope for each in merged(drafts).drafts] == [EVERYWHERE]


def test_different_advice_stays_apart() -> None:
    one, other = _twice()
    changed = draft(other.sentence, key=other.key, scope=HARBOUR, advice="jq -r .name")
    assert len(merged((one, changed)).drafts) == 2


def test_what_holds_everywhere_takes_in_what_one_repository_shows() -> None:
    one, _ = _twice()
    general = draft(one.sentence, key=one.key, scope=EVERYWHERE, evidence=(piece("three"),))
    (promoted,) = merged((one, general)).drafts
    assert promoted.scope == EVERYWHERE
    assert len(promoted.evidence) == 2


def test_an_agents_quirk_stays_with_the_agent() -> None:
    one, other = _twice(category=Category.TOOL_QUIRK)
    agent = draft(one.sentence, key=one.key, scope=Scope(ScopeKind.AGENT, "codex"), category=Category.TOOL_QUIRK)
    assert {each.scope for each in merged((one, other, agent)).drafts} == {EVERYWHERE, agent.scope}


@pytest.mark.parametrize("line", ["git push origin", "npm install", "gh pr view --json state", "uv run pytest -q"])
def test_general_commands_depend_on_no_repository(line: str) -> None:
    assert not depends_on_repo(draft(f"Use `{line}`.", advice=line))
