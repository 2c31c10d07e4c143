from collections.abc import Iterable, Sequence

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.knowledge.drafting import NOW_MS
from tests.thoroughness import examples

from afterwit.harvest.harvester import Grouped, evidence_of
from afterwit.knowledge.library import Library
from afterwit.knowledge.merging import merged
from afterwit.knowledge.weighing import WeighingContext
from afterwit.model.digest import Digest, Measures, Verdict
from afterwit.model.kinds import Outcome
from afterwit.model.knowledge import (
    EVERYWHERE,
    Category,
    Channel,
    Draft,
    ItemStatus,
    Scope,
    ScopeKind,
    Seen,
    SessionRef,
    Sighting,
)


class _Titles:
    """Drafts the words of titles, by repository; counts its conclusions."""

    name = "titles"
    version = 1
    minimum_stories = 2
    seen = Seen

    def __init__(self) -> None:
        self.concluded: list[str] = []

    def see(self, digest: Digest) -> Iterable[Grouped[Seen]]:
        for word in digest.title.split():
            yield Grouped(f"{digest.repo}\n{word}", Seen(at=1, excerpt=word))

    def conclude(self, group: str, sightings: Sequence[Sighting[Seen]]) -> Iterable[Draft]:
        self.concluded.append(group)
        repo, _, word = group.partition("\n")
        yield Draft(
            harvester=self.name,
            key=(word,),
            scope=Scope(ScopeKind.REPO, repo),
            category=Category.PITFALL,
            sentence=f"Beware of {word}.",
            channel=Channel.OUTCOME,
            evidence=tuple(evidence_of(each, Channel.OUTCOME) for each in sightings),
        )


_ORCHARD, _HARBOUR = Scope(ScopeKind.REPO, "orchard"), Scope(ScopeKind.REPO, "harbour")
_NOW = WeighingContext(now_ms=NOW_MS)


def _know(library: Library, number: int, title: str, repo: str = "orchard") -> None:
    measures = Measures(
        duration_ms=None,
        first_success_ms=None,
        errors=0,
        early_error_rate=None,
        tool_diversity=0,
        tokens=0,
        cost_usd=None,
    )
    verdict = Verdict(outcome=Outcome.UNKNOWN, confidence=0)
    digest = Digest(
        agent="codex", native_id=str(number), repo=repo, title=title, verdict=verdict, kinds={}, measures=measures
    )
    library.know(digest, SessionRef(agent="codex", native_id=str(number), story=str(number), repo=repo, at_ms=NOW_MS))


def _said(library: Library, scope: Scope = _ORCHARD) -> set[str]:
    return {draft.sentence for draft in library.drafts([scope])}


def test_only_groups_that_were_touched_are_concluded_again() -> None:
    titles = _Titles()
    library = Library([titles])
    _know(library, 1, "wasps frost")
    assert len(library.drafts()) == 2
    titles.concluded.clear()
    _know(library, 2, "frost")
    library.drafts()
    library.drafts()
    assert titles.concluded == ["orchard\nfrost"]


def test_knowing_a_session_again_replaces_what_was_seen_in_it() -> None:
    library = Library([_Titles()])
    _know(library, 1, "wasps frost")
    assert _said(library) == {"Beware of wasps.", "Beware of frost."}
    _know(library, 1, "frost mould")
    assert _said(library) == {"Beware of frost.", "Beware of mould."}


def test_a_session_can_be_forgotten() -> None:
    library = Library([_Titles()])
    _know(library, 1, "wasps")
    library.forget(SessionRef(agent="codex", native_id="1", story="1"))
    assert library.drafts() == ()
    assert library.scopes() == ()


def test_items_are_weighed_at_the_moment_they_are_asked_for() -> None:
    library = Library([_Titles()])
    _know(library, 1, "wasps")
    assert [item.status for item in library.items(_NOW)] == [ItemStatus.CANDIDATE]
    _know(library, 2, "wasps")
    assert [item.status for item in library.items(_NOW)] == [ItemStatus.ACTIVE]
    assert [item.status for item in library.items(WeighingContext(now_ms=2 * NOW_MS))] == [ItemStatus.STALE]


def test_a_second_repository_moves_a_matter_everywhere_and_back() -> None:
    library = Library([_Titles()])
    _know(library, 1, "wasps")
    _know(library, 2, "wasps", repo="harbour")
    assert library.scopes() == (EVERYWHERE,)
    _know(library, 2, "gulls", repo="harbour")
    assert library.scopes() == (_HARBOUR, _ORCHARD)


def test_what_is_not_let_in_is_not_there() -> None:
    library = Library([_Titles()], lambda draft: "frost" not in draft.sentence)
    _know(library, 1, "wasps frost")
    assert _said(library) == {"Beware of wasps."}


_STEPS = st.lists(
    st.tuples(
        st.integers(0, 3),
        st.lists(st.sampled_from(("wasps", "frost", "wasp")), max_size=3),
        st.sampled_from(("orchard", "harbour")),
    ),
    max_size=8,
)


@given(steps=_STEPS, asked=st.sets(st.integers(0, 7)))
@settings(max_examples=examples(80))
def test_a_growing_library_equals_one_that_learns_all_at_once(
    steps: list[tuple[int, list[str], str]], asked: set[int]
) -> None:
    growing, whole = Library([_Titles()]), Library([_Titles()])
    for at, (number, words, repo) in enumerate(steps):
        _know(growing, number, " ".join(words), repo)
        if at in asked:
            growing.items(_NOW)
    latest = {number: (words, repo) for number, words, repo in steps}
    for number, (words, repo) in sorted(latest.items()):
        _know(whole, number, " ".join(words), repo)
    assert growing.items(_NOW) == whole.items(_NOW)
    parts = [part for union in whole.unions() for part in union.parts]
    assert set(merged(parts).drafts) == set(whole.drafts())
