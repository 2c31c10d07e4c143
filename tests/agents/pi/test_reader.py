from pathlib import PurePosixPath

from tests.agents.transcripts import Transcript, read_fixture

from afterwit.agents.pi.reader import OmpReader, PiReader
from afterwit.model.kinds import EventKind, ReaderEvidence, Relation
from afterwit.model.readings import Usage

READER = PiReader()
SESSION = "9a000001-0000-7000-8000-000000000001"


def fixture(name: str) -> Transcript:
    return read_fixture(READER, "pi", name)


def test_a_session_is_read_in_order_with_all_its_branches() -> None:
    transcript = fixture("version3.jsonl")
    assert transcript.kinds == [
        EventKind.PROMPT,
        EventKind.THOUGHT,
        EventKind.REPLY,
        EventKind.CALL,
        EventKind.CALL,
        EventKind.RESULT,
        EventKind.RESULT,
        EventKind.MODEL_ERROR,
        EventKind.REPLY,
        EventKind.INTERRUPT,
        EventKind.CALL,
        EventKind.RESULT,
        EventKind.NOTICE,
        EventKind.NOTICE,
        EventKind.COMPACTION,
        EventKind.NOTICE,
        EventKind.PROMPT,
    ]
    assert {event.session for event in transcript.events} == {SESSION}
    assert not transcript.reading.unknown
    assert not transcript.problems


def test_prompts_have_placeholders_for_pictures() -> None:
    assert fixture("version3.jsonl").texts(EventKind.PROMPT) == ["Run the tests\n[image]", "Only in lib"]


def test_header_and_name_give_facts() -> None:
    facts = fixture("version3.jsonl").facts
    assert facts[0].cwd == "/w/app"
    assert (facts[-1].title, facts[-1].is_title_manual) == ("The failing test", True)


def test_tokens_and_cost_are_as_stated() -> None:
    transcript = fixture("version3.jsonl")
    assert transcript.usage() == Usage(input=100, cache_read=300, cache_write=50, output=20)
    assert [spend.cost_usd for spend in transcript.spends] == [0.004]


def test_the_first_version_without_ids_is_read() -> None:
    transcript = fixture("version1.jsonl")
    assert transcript.kinds == [EventKind.PROMPT, EventKind.CALL, EventKind.RESULT, EventKind.NOTICE]
    assert transcript.facts[0].provider == "anthropic"
    assert not transcript.reading.unknown


def test_the_second_version_is_a_tree_with_messages_of_hooks() -> None:
    transcript = fixture("version2.jsonl")
    assert transcript.texts(EventKind.PROMPT) == ["Sort the imports", "With the linter instead"]
    assert transcript.texts(EventKind.NOTICE) == ["The linter was run"]
    assert (failed := transcript.result("toolu_8").result) is not None
    assert failed.is_error
    assert not transcript.reading.unknown


def test_a_fork_names_its_parent_and_copies_have_equal_keys() -> None:
    fork, parent = fixture("fork.jsonl"), fixture("version3.jsonl")
    assert (fork.facts[0].parent, fork.facts[0].relation) == (SESSION, Relation.FORK)
    shared = fork.keys(EventKind.PROMPT) & parent.keys(EventKind.PROMPT)
    assert len(shared) == 1
    assert len(fork.keys(EventKind.PROMPT)) == 2


def test_ids_that_the_client_adds_to_an_old_session_change_no_key() -> None:
    old = fixture("version1.jsonl")
    assert all("00000" not in key.split(":")[0] for key in old.keys(EventKind.PROMPT, EventKind.CALL))
    assert old.call("toolu_7").key.startswith("call:1763632802000:toolu_7:")


def test_omp_is_read_like_pi_and_says_on_what_evidence() -> None:
    assert OmpReader().agent == "omp"
    assert OmpReader().evidence is ReaderEvidence.DOCUMENTATION
    assert OmpReader().primary(PurePosixPath("sessions/--w--/a.jsonl"))
