from tests.harvest.talks import talk
from tests.harvest.work import committed, session

from afterwit.harvest.places import MOST_PAIRS, MOST_WORDS, stemmed, topics_of


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
