"""The scheme `value`: what counts, how it wears off, and the choice that follows from it."""

from collections import Counter
from itertools import permutations

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.thoroughness import examples

from afterwit.digest.value import (
    Aspect,
    ExpectedFinding,
    SampleCandidate,
    choose,
    findings_of,
    value_of,
    values,
)
from afterwit.model.digest import Digest, Failure, Measures, Publication, Rule, Said, Touched, Verdict
from afterwit.model.kinds import ActionKind, FailureClass, NoteKind, Outcome, ResolutionKind, Status, Step

STEP = Step(ActionKind.SHELL, "Bash", "make prune", Status.DENIED)


def digest(**fields: object) -> Digest:
    """Of a session in which nothing worth a word happened."""
    measures = Measures(
        duration_ms=None,
        first_success_ms=None,
        errors=0,
        early_error_rate=None,
        tool_diversity=0,
        tokens=0,
        cost_usd=None,
    )
    given: dict[str, object] = {
        "agent": "codex",
        "native_id": "one",
        "repo": "orchard",
        "verdict": Verdict(outcome=Outcome.UNKNOWN, confidence=0.0),
        "kinds": {},
        "measures": measures,
    }
    return Digest(**{**given, **fields})  # type: ignore[arg-type]


def failure(kind: FailureClass, resolution: ResolutionKind, signature: str = "no rule to make target") -> Failure:
    return Failure(at=0, failure=kind, signature=signature, resolution=resolution)


def worth(**fields: object) -> dict[Aspect, float]:
    """What each aspect of such a session is worth, if anything."""
    return {aspect: part for aspect, part in value_of(findings_of(digest(**fields)), {}).by_aspect.items() if part}


def test_a_session_without_findings_is_worth_nothing() -> None:
    assert worth() == {}


def test_a_failure_counts_by_its_class_and_its_end() -> None:
    def of(kind: FailureClass, end: ResolutionKind) -> dict[Aspect, float]:
        return worth(failures=(failure(kind, end),))

    assert of(FailureClass.INVOCATION, ResolutionKind.CHANGED) == {Aspect.SIGNATURES: 1, Aspect.RESOLVED: 4}
    assert of(FailureClass.ENVIRONMENT, ResolutionKind.UNRESOLVED) == {Aspect.SIGNATURES: 1, Aspect.UNRESOLVED: 2}
    assert of(FailureClass.WORK, ResolutionKind.EDITED) == {Aspect.SIGNATURES: 0.25, Aspect.RESOLVED: 1}
    assert of(FailureClass.INVOCATION, ResolutionKind.RETRIED) == {Aspect.SIGNATURES: 1}


def test_what_nobody_has_to_mend_counts_nothing() -> None:
    for kind in (FailureClass.TRANSIENT, FailureClass.DENIED, FailureClass.CANCELLED, FailureClass.ANSWER):
        assert worth(failures=(failure(kind, ResolutionKind.UNRESOLVED),)) == {}


def test_the_same_failure_twice_in_a_session_is_one() -> None:
    one = failure(FailureClass.INVOCATION, ResolutionKind.CHANGED)
    assert worth(failures=(one, one)) == worth(failures=(one,))


def test_words_count_by_who_said_them() -> None:
    prompts = (Said(text="Prune the plums", is_person=True), Said(text="No, not those", is_person=True))
    assert worth(prompts=prompts, corrections=(1,)) == {Aspect.CORRECTIONS: 3}
    assert worth(steps=(STEP,), denials=(0,)) == {Aspect.CORRECTIONS: 1}
    assert worth(stated=(Said(text="We always prune in March", is_person=True),)) == {Aspect.DECISIONS: 2}
    assert worth(stated=(Said(text="I use the short ladder"),)) == {Aspect.DECISIONS: 0.5}
    assert worth(summaries=("The plums are done.",)) == {Aspect.DECISIONS: 1}
    published = Publication(kind=NoteKind.COMMIT, at=0, text="Prune the plums")
    assert worth(publications=(published,)) == {Aspect.DECISIONS: 0.5}


def test_places_count_inside_the_repository_and_up_to_a_limit() -> None:
    files = (Touched("trees/plum.py", 1, 2), Touched("trees/pear.py", 1, 0), Touched("/etc/hosts", 1, 1))
    assert worth(files=files) == {Aspect.PLACES: 0.625}
    many = tuple(Touched(f"trees/{number}.py", 0, 1) for number in range(100))
    assert worth(files=many) == {Aspect.PLACES: 10}


def test_rules_and_places_of_another_repository_are_others() -> None:
    fields: dict[str, object] = {"rules": (Rule(0, "E501", "Line too long"),), "files": (Touched("plum.py", 0, 1),)}
    here, there = (findings_of(digest(repo=repo, **fields)) for repo in ("orchard", "harbour"))
    assert not {finding.key for finding in here} & {finding.key for finding in there}


def test_each_other_session_that_holds_a_thing_halves_it() -> None:
    one = (ExpectedFinding(Aspect.RESOLVED, "a", 4.0),)
    assert [value_of(one, {"a": known}).total for known in (0, 1, 2, 7, 8)] == [4, 2, 1, 4 / 128, 0]


def test_an_original_that_will_be_gone_soon_adds_a_quarter_but_nothing_to_nothing() -> None:
    one = (ExpectedFinding(Aspect.RESOLVED, "a", 4.0),)
    assert value_of(one, {}, is_vanishing=True).total == 5
    assert value_of((), {}, is_vanishing=True).total == 0


def test_values_of_sessions_count_what_the_others_know() -> None:
    shared, own = ExpectedFinding(Aspect.RESOLVED, "shared", 4.0), ExpectedFinding(Aspect.PLACES, "own", 0.5)
    assert values({"x": (shared, own), "y": (shared,), "z": ()}) == {"x": 2.5, "y": 2.0, "z": 0.0}


def test_of_two_sessions_with_the_same_findings_the_second_comes_after_a_poorer_one_with_new() -> None:
    shared = (ExpectedFinding(Aspect.RESOLVED, "a", 4.0),)
    candidates = [
        SampleCandidate((1, "twin", ""), shared),
        SampleCandidate((2, "twin again", ""), shared),
        SampleCandidate((3, "poorer", ""), (ExpectedFinding(Aspect.RESOLVED, "b", 3.0),)),
    ]
    found = [(one.candidate.order[1], one.value.total) for one in choose(candidates)]
    assert found == [("twin", 4.0), ("poorer", 3.0), ("twin again", 2.0)]


findings = st.lists(
    st.builds(
        ExpectedFinding,
        st.sampled_from(Aspect),
        st.sampled_from("abcdefgh"),
        st.sampled_from([0.125, 0.5, 1.0, 2.0, 4.0]),
    ),
    max_size=5,
    unique_by=lambda finding: finding.key,
).map(tuple)


@settings(max_examples=examples(60))
@given(st.lists(st.tuples(findings, st.booleans()), max_size=6))
def test_the_choice_is_the_greedy_one(given_findings: list[tuple[tuple[ExpectedFinding, ...], bool]]) -> None:
    candidates = [SampleCandidate((at, "", ""), found, late) for at, (found, late) in enumerate(given_findings)]
    left, covered, plain = list(candidates), Counter[str](), []
    while left:
        best = min(left, key=lambda one: (-_total(one, covered), one.order))
        plain.append((best.order, _total(best, covered)))
        covered.update(finding.key for finding in best.findings)
        left.remove(best)
    for order in list(permutations(candidates))[:6]:
        assert [(one.candidate.order, one.value.total) for one in choose(order)] == plain


def _total(candidate: SampleCandidate, covered: Counter[str]) -> float:
    return value_of(candidate.findings, covered, is_vanishing=candidate.is_vanishing).total
