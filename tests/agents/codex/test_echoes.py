"""Two records that tell one thing."""

from afterwit.agents.codex.threads import Echoes, Source


def test_an_echo_is_found_in_both_orders() -> None:
    for first, second in ((Source.ITEM, Source.EVENT), (Source.EVENT, Source.ITEM)):
        echoes = Echoes()
        assert not echoes.answers(first, "dig", 1)
        assert echoes.answers(second, "dig", 5)
        assert not echoes.waiting


def test_a_text_said_twice_is_no_echo() -> None:
    echoes = Echoes()
    assert [echoes.answers(Source.ITEM, "dig", number) for number in (1, 2)] == [False, False]


def test_the_event_right_behind_an_item_is_its_echo_whatever_it_says() -> None:
    echoes = Echoes()
    assert not echoes.answers(Source.ITEM, "dig", 1)
    assert echoes.answers(Source.EVENT, "dig here", 2)


def test_an_item_behind_an_event_of_other_text_is_none() -> None:
    echoes = Echoes()
    assert not echoes.answers(Source.EVENT, "<b>", 1)
    assert not echoes.answers(Source.ITEM, "dig", 2)


def test_only_the_last_few_are_kept() -> None:
    echoes = Echoes()
    for number in range(0, 100, 2):
        echoes.answers(Source.ITEM, str(number), number)
    assert len(echoes.waiting) == 8
