from afterwit.harvest.stated.statements import topic_of


def test_names_come_first() -> None:
    assert topic_of("The orchardists should only call `barrelMode`.") == ("barrel", "mode")


def test_without_names_the_longest_words_tell_the_topic() -> None:
    assert topic_of("We decided to prune pears in wintertime.") == ("wintertime", "prune")


def test_a_statement_without_telling_words_has_no_topic() -> None:
    assert topic_of("We should not do it.") == ()
