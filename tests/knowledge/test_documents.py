"""`index.json`: stable bytes, strict reading, and merging in any order."""

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.every import for_every
from tests.knowledge.written import DAY_MS, EVERYWHERE, MAY_MS, item, piece
from tests.thoroughness import examples

from afterwit.knowledge.documents import (
    Document,
    WrittenEvidence,
    WrittenItem,
    decoded,
    document,
    encoded,
    evidence_in,
    merge,
    written,
)
from afterwit.model.errors import UsageError
from afterwit.model.knowledge import Authority, Category, Channel, ItemStatus, Scope, ScopeKind


def share(one: WrittenItem) -> float:
    """A stand-in for belief: the share of the evidence that speaks for the item."""
    good = sum(not piece.is_against for piece in one.evidence)
    return (good + 1) / (len(one.evidence) + 2)


def index(**changed: Any) -> bytes:
    """The bytes of a document with one item, some of its fields changed by hand."""
    whole = json.loads(encoded(document([item()])))
    whole["items"][0] |= changed
    return json.dumps(whole).encode()


def test_the_fields_are_the_documented_ones() -> None:
    (one,) = json.loads(encoded(document([item(files=("Makefile",))])))["items"]
    assert list(one) == [
        *("id", "fact", "category", "scope", "repo", "confidence", "status", "authority", "channel", "harvester"),
        *("saves", "first_seen", "last_seen", "worded", "triggers", "advice", "files", "evidence"),
    ]
    assert (one["repo"], one["confidence"]) == ("github.com/acme/orchard", 0.75)
    assert (one["first_seen"], one["last_seen"]) == ("2026-05-01T00:00:00.000Z", "2026-05-02T00:00:00.000Z")
    assert one["evidence"][0] == {
        "agent": "codex",
        "session": "5ea50001",
        "channel": "verified-outcome",
        "date": "2026-05-01T00:00:00.000Z",
        "step": 3,
        "repo": "github.com/acme/orchard",
    }


def test_what_holds_everywhere_says_global_and_an_agents_quirk_names_the_agent() -> None:
    everywhere, quirk = item(scope=EVERYWHERE), item("1b1b1b1b1b1b", scope=Scope(ScopeKind.AGENT, "codex"))
    assert (written(everywhere).repo, written(everywhere).agent) == ("global", "")
    assert (written(quirk).repo, written(quirk).agent) == ("global", "codex")
    assert [written(one).place for one in (everywhere, quirk)] == [everywhere.scope, quirk.scope]


def test_a_repository_named_global_is_not_everything() -> None:
    named = item(scope=Scope(ScopeKind.REPO, "global"))
    assert decoded(encoded(document([named])), "index.json").items[0].place == named.scope


def test_the_order_of_items_and_evidence_does_not_change_the_bytes() -> None:
    one, other = item(), item("1b1b1b1b1b1b")
    turned = msgspec.structs.replace(one, evidence=one.evidence[::-1])
    assert encoded(document([one, other])) == encoded(document([other, turned]))


def test_what_is_written_can_be_read_again() -> None:
    whole = document([item(), item("1b1b1b1b1b1b", scope=EVERYWHERE, status=ItemStatus.STALE)])
    assert decoded(encoded(whole), "index.json") == whole


def test_evidence_comes_back_as_it_was_but_for_people_and_machines() -> None:
    own = piece(story="5ea50000", source="https://example.org/page", excerpt="no rule", is_against=True)
    (back,) = evidence_in(written(item(evidence=(own,))))
    assert back == msgspec.structs.replace(own, session=msgspec.structs.replace(own.session, at_ms=own.at_ms))


def test_only_the_type_of_a_placeholder_leaves_the_machine() -> None:
    secret = item(sentence="Pass ‹aws-key:3f9c2a›.", evidence=(piece(excerpt="as ‹user:564f2c› did"),))
    text = encoded(document([secret])).decode()
    assert "Pass ‹aws-key›." in text
    assert "‹user›" in text
    assert "3f9c2a" not in text


def test_hidden_characters_do_not_get_in_or_out() -> None:
    assert decoded(index(fact="Run\u202e make\u200b trees."), "index.json").items[0].fact == "Run make trees."
    assert written(item(sentence="Run \x1b[31mmake\x1b[0m trees.")).fact == "Run make trees."


@for_every(
    "changed, complaint",
    [
        ({"category": "rumour"}, "Invalid enum value 'rumour' - at `$.category`"),
        ({"fact": ""}, "its `fact` is not one line"),
        ({"fact": "x" * 321}, "its `fact` is not one line"),
        ({"fact": "one\ntwo"}, "its `fact` is not one line"),
        ({"confidence": 2}, "its `confidence` 2.0 is not between 0 and 1"),
        ({"id": "../../etc"}, "its id '../../etc' is not twelve hexadecimal digits"),
        ({"last_seen": "yesterday"}, "'yesterday' is not a moment like 2026-01-01T00:00:00.000Z"),
        ({"scope": "agent"}, "its `scope` is agent, but no agent is named"),
        ({"evidence": [{"agent": "codex"}]}, "missing required field `session`"),
    ],
)
def test_a_wrong_item_is_named_with_what_is_wrong_and_what_to_do(changed: dict[str, Any], complaint: str) -> None:
    with pytest.raises(UsageError) as caught:
        decoded(index(**changed), "team/index.json")
    message = str(caught.value)
    assert message.startswith("team/index.json, note 1: ")
    assert complaint in message
    assert message.endswith("Correct or remove that note.")


@pytest.mark.parametrize("content", [b"", b"[]", b"{", b'{"version": 1}', b"\xff", b"[" * 100_000])
def test_what_is_no_index_is_refused(content: bytes) -> None:
    with pytest.raises(UsageError, match="is no index of knowledge"):
        decoded(content, "index.json")


def test_a_later_version_asks_for_an_upgrade() -> None:
    with pytest.raises(UsageError, match=r"version 9; this afterwit knows version 1\. Upgrade"):
        decoded(b'{"version": 9, "items": []}', "index.json")


def test_an_id_that_occurs_twice_is_refused() -> None:
    (one,) = json.loads(index())["items"]
    with pytest.raises(UsageError, match="note 2: the id 0a0a0a0a0a0a occurs twice"):
        decoded(json.dumps({"version": 1, "items": [one, one]}).encode(), "index.json")


def test_evidence_unites_and_confidence_is_counted_again() -> None:
    mine = document([item(evidence=(piece("a"), piece("b")))])
    yours = document([item(evidence=(piece("b"), piece("c", is_against=True)))])
    (both,) = merge([mine, yours], share).items
    assert [one.session for one in both.evidence] == ["a", "b", "c"]
    assert both.confidence == 0.6


def test_the_latest_words_stand_and_dates_span_both() -> None:
    old = item(sentence="Run `make count`.", first_ms=MAY_MS - DAY_MS, last_ms=MAY_MS)
    new = item(sentence="Run `make trees`.", authority=Authority.OBSERVATION)
    (both,) = merge([document([new]), document([old])], share).items
    assert (both.fact, both.authority) == ("Run `make trees`.", Authority.OBSERVATION)
    assert (both.first_seen[:10], both.last_seen[:10]) == ("2026-04-30", "2026-05-02")


def test_what_one_person_retired_stays_retired() -> None:
    mine, yours = item(status=ItemStatus.RETIRED), item()
    assert merge([document([yours]), document([mine])], share).items[0].status is ItemStatus.RETIRED


_ids = st.sampled_from(["0a0a0a0a0a0a", "1b1b1b1b1b1b"])
_moments = st.sampled_from(["", "2026-05-01T00:00:00.000Z", "2026-05-02T00:00:00.000Z"])
_pieces = st.builds(
    WrittenEvidence,
    agent=st.just("codex"),
    session=st.sampled_from("abc"),
    channel=st.sampled_from([Channel.OUTCOME, Channel.USER]),
    date=_moments,
    step=st.sampled_from([None, 1]),
    excerpt=st.sampled_from(["", "x"]),
    is_against=st.booleans(),
)
_items = st.builds(
    WrittenItem,
    id=_ids,
    fact=st.sampled_from(["Do this.", "Do that."]),
    category=st.sampled_from(Category),
    scope=st.just(ScopeKind.GLOBAL),
    repo=st.just("global"),
    saves=st.sampled_from([1.0, 2.0]),
    confidence=st.sampled_from([0.2, 0.9]),
    status=st.sampled_from(ItemStatus),
    authority=st.sampled_from(Authority),
    channel=st.just(Channel.OUTCOME),
    harvester=st.just("corrections"),
    first_seen=_moments,
    last_seen=_moments,
    worded=_moments,
    superseded_by=st.sampled_from(["", "1b1b1b1b1b1b"]),
    supersedes=st.sampled_from([(), ("0a0a0a0a0a0a",)]),
    evidence=st.lists(_pieces, max_size=3).map(tuple),
)
_documents = st.lists(_items, max_size=3).map(lambda items: merge([Document(items=(one,)) for one in items], share))


@settings(max_examples=examples(60), deadline=None)
@given(_documents, _documents, _documents)
def test_merging_is_commutative_associative_and_idempotent(one: Document, two: Document, three: Document) -> None:
    assert merge([one, two], share) == merge([two, one], share)
    assert merge([merge([one, two], share), three], share) == merge([one, merge([two, three], share)], share)
    assert merge([one, one], share) == merge([one], share) == one
    assert merge([one, two, one], share) == merge([one, two], share)


@settings(max_examples=examples(30), deadline=None)
@given(_documents)
def test_any_document_survives_being_written(whole: Document) -> None:
    assert decoded(encoded(whole), "index.json") == whole
