import random

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.harvest.edits import change, missed, others
from tests.harvest.talks import ORCHARD, concluded, talk
from tests.harvest.work import committed, edited, ran, session
from tests.thoroughness import examples

from afterwit.harvest.harvester import id_of
from afterwit.harvest.places import MOST_PAIRS, MOST_WORDS, AboutFiles, Places, stemmed, topics_of
from afterwit.model.digest import Digest
from afterwit.model.knowledge import SENTENCE_LIMIT, Channel, Draft, ScopeKind
from afterwit.text.words import words_of

PRESS, PRESS_TEST = "cellar/turning.py", "tests/cellar/test_turning.py"


def _presses(count: int = 4) -> list[Digest]:
    """Sessions about the cider press, which change it with its tests."""
    return [change(f"Cider press, part{at}", PRESS, PRESS_TEST, day=at) for at in range(count)]


def _drafts(*digests: Digest) -> list[Draft]:
    return concluded(Places(), digests)


def test_work_that_mostly_changes_one_file_has_a_place() -> None:
    (draft,) = _drafts(*_presses(), *others(12))
    assert draft.sentence == (
        f"In `orchard`, work on *cider press* changes `{PRESS}` (4 of 4 sessions); its tests are in `{PRESS_TEST}`."
    )
    assert (draft.scope, draft.files) == ((ScopeKind.REPO, ORCHARD), (PRESS, PRESS_TEST))
    assert [set(trigger.topic) for trigger in draft.triggers] == [set(words_of("cider press"))]


def test_a_file_that_carries_a_word_of_the_topic_is_found_by_one_search() -> None:
    found = [change(f"Cider press, part{at}", "cellar/pressing.py", day=at) for at in range(6)]
    assert not _drafts(*found, *others(20))


def test_a_file_that_prompts_name_needs_no_item() -> None:
    named = [change(f"Cider press, part{at}: see turning.py", PRESS, day=at) for at in range(6)]
    assert not _drafts(*named, *others(20))


def test_a_single_word_means_too_much() -> None:
    assert not _drafts(*(change(f"Press{'ing' * at}", PRESS, day=at) for at in range(6)), *others(20))


def test_stories_on_one_branch_are_one_piece_of_work() -> None:
    on_branch = [msgspec.structs.replace(digest, branch="plums") for digest in _presses(5)]
    assert not _drafts(*on_branch, *others(20))
    on_main = [msgspec.structs.replace(digest, branch="main") for digest in _presses(5)]
    assert len(_drafts(*on_main, *others(20))) == 1


def test_two_stories_are_too_few() -> None:
    assert not _drafts(*_presses(2), *others(12))


def test_sessions_of_one_story_count_once() -> None:
    same = [msgspec.structs.replace(digest, parent="first") for digest in _presses()]
    assert not _drafts(*same, *others(12))


def test_stories_about_it_that_changed_something_else_speak_against() -> None:
    astray = change("Describe the cider press", "docs/cellar.md", day=50)
    (draft,) = _drafts(*_presses(6), astray, *others(20))
    assert "(6 of 7 sessions)" in draft.sentence
    assert sum(one.is_against for one in draft.evidence) == 1


def test_a_file_that_most_stories_change_is_no_place() -> None:
    hub = [change(f"Mend gate{at}", PRESS, day=60 + at) for at in range(8)]
    assert not _drafts(*_presses(), *hub, *others(4))


def test_a_topic_that_goes_everywhere_has_no_place() -> None:
    wide = [change(f"Look at the cider press of room{at}", f"rooms/room{at}.py", day=40 + at) for at in range(6)]
    assert not _drafts(*_presses(), *wide, *others(12))


def test_change_logs_are_never_named() -> None:
    (draft,) = _drafts(*(change("Oil the cider press", PRESS, "CHANGELOG.md", day=at) for at in range(4)), *others(12))
    assert draft.files == (PRESS,)


def test_a_moved_file_is_named_as_it_is_called_now() -> None:
    moved = session(ran(f"git mv {PRESS} cellar/grinding.py"), edited("x.py"), day=70)
    (draft,) = _drafts(*_presses(), moved, *others(12))
    assert draft.files[0] == "cellar/grinding.py"


def test_a_deleted_file_has_no_place() -> None:
    gone = session(edited("x.py"), ran(f"git rm {PRESS} {PRESS_TEST}"), day=70)
    assert not _drafts(*_presses(), gone, *others(12))


def test_looking_for_the_file_in_vain_speaks_against() -> None:
    vain = session(edited("x.py"), missed(PRESS), day=70, name="vain")
    (draft,) = _drafts(*_presses(), vain, *others(12))
    assert [one.session.native_id for one in draft.evidence if one.is_against] == ["vain"]


def test_places_with_the_same_stories_and_files_are_one() -> None:
    both = [
        change(f"Clean cider press and apple mill, part{at}", PRESS, "cellar/grinding.py", day=at)
        for at in (1, 2, 3, 4)
    ]
    assert len(_drafts(*both, *others(12))) == 1


def test_the_name_of_the_repository_is_no_topic() -> None:
    assert not _drafts(*(change("Orchard", "src/orchard.py", day=at) for at in range(4)), *others(12))


def test_a_session_outside_a_repository_is_not_seen() -> None:
    assert not list(Places().see(change("Oil the cider press", PRESS, day=1, repo="")))


def test_words_come_from_what_was_done_and_evidence_has_an_excerpt() -> None:
    (draft,) = _drafts(*_presses(), *others(12))
    assert draft.channel is Channel.OUTCOME
    assert all(one.excerpt and one.channel is Channel.OUTCOME for one in draft.evidence)


def test_sightings_survive_storage_and_are_small() -> None:
    ((_, seen),) = Places().see(_presses()[0])
    stored = msgspec.msgpack.encode(seen)
    assert msgspec.msgpack.decode(stored, type=AboutFiles) == seen
    assert len(stored) < 600


def test_new_topics_do_not_change_the_id() -> None:
    more = [change(f"Grease the cider press, part{at}", PRESS, day=20 + at) for at in range(3)]
    (before,), (after,) = _drafts(*_presses(), *others(20)), _drafts(*_presses(), *more, *others(20))
    assert id_of(before) == id_of(after)


@given(st.randoms(use_true_random=False))
@settings(max_examples=examples(10), deadline=None)
def test_the_order_of_sessions_does_not_matter(chance: random.Random) -> None:
    digests = [*_presses(), *others(12)]
    shuffled = list(digests)
    chance.shuffle(shuffled)
    assert _drafts(*shuffled) == _drafts(*digests)


@given(st.lists(st.text(min_size=1, max_size=40), min_size=3, max_size=8))
@settings(max_examples=examples(30), deadline=None)
def test_whatever_tasks_say_sentences_keep_their_form(tasks: list[str]) -> None:
    for draft in _drafts(*(change(f"{task} cider press", PRESS, day=at) for at, task in enumerate(tasks)), *others(12)):
        assert len(draft.sentence) <= SENTENCE_LIMIT
        assert draft.sentence.isprintable()
        assert draft.sentence.count("`") % 2 == 0


def test_words_of_title_task_and_commits_count_and_those_of_all_three_come_first() -> None:
    digest = session(committed("Sort the juice labels"), title="Juice labels", task="The juice label is torn", day=1)
    assert topics_of(digest).words[0] == "juice"
    assert {"sort", "torn"} <= set(topics_of(digest).words)


def test_pairs_stand_side_by_side_in_one_sentence() -> None:
    pairs = topics_of(talk(task="Clean the cider press. Barrels leak")).pairs
    assert "cider press" in pairs
    assert "press barrels" not in pairs


def test_identifiers_are_taken_apart_and_folders_of_paths_left_out() -> None:
    words = topics_of(talk(task="See frontend/src/CiderPress.tsx")).words
    assert {"cider", "press"} <= set(words)
    assert not {"frontend", "src"} & set(words)


def test_addresses_code_and_what_was_taken_out_give_no_words() -> None:
    task = "Pour ```python\nimport barrel\n``` at https://example.org/cellar for ‹user:564f2c› and ann@example.org"
    assert set(topics_of(talk(task=task)).words) == {"pour"}


def test_a_long_task_gives_a_bounded_row() -> None:
    letters = "abcdefghijklmnopqrstuvwxyz"
    topics = topics_of(talk(task=" ".join(f"plum{one}{two}" for one in letters for two in letters)))
    assert (len(topics.words), len(topics.pairs)) == (MOST_WORDS, MOST_PAIRS)


def test_words_are_compared_without_their_endings() -> None:
    assert stemmed("labels") == stemmed("label")
    assert stemmed("the") == ""
