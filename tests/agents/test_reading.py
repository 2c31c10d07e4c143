import msgspec

from afterwit.agents.log_reader import ReadingMemory, mark


def test_something_is_new_once_until_it_is_forgotten() -> None:
    memory = ReadingMemory()
    assert memory.is_new("text", "a")
    assert not memory.is_new("text", "a")
    assert memory.is_new("text", "b")
    memory.forget("text", "a")
    assert memory.is_new("text", "a")


def test_words_are_kept_apart() -> None:
    memory = ReadingMemory()
    assert memory.is_new("ab", "c")
    assert memory.is_new("a", "bc")


def test_repetitions_are_counted() -> None:
    memory = ReadingMemory()
    assert [memory.nth("a"), memory.nth("b"), memory.nth("a")] == [1, 1, 2]


def test_a_memory_goes_through_bytes_and_holds_no_words() -> None:
    memory = ReadingMemory()
    memory.is_new("a long sentence of the log")
    saved = msgspec.msgpack.encode(memory)
    assert b"sentence" not in saved
    assert not msgspec.msgpack.decode(saved, type=ReadingMemory).is_new("a long sentence of the log")


def test_marks_are_bounded() -> None:
    memory = ReadingMemory()
    for number in range(20_010):
        memory.is_new(str(number))
    assert len(memory.marks) == 20_000
    assert memory.is_new("0")
    assert not memory.is_new("20009")


def test_names_of_unknown_records_are_bounded() -> None:
    memory = ReadingMemory()
    for number in range(150):
        memory.count(f"type-{number}", is_known=False)
    memory.count("x" * 500, is_known=False)
    memory.count("", is_known=True)
    assert len(memory.unknown) == 101
    assert sum(memory.unknown.values()) == 151
    assert max(map(len, memory.unknown)) <= 80
    assert memory.known == {"(no type)": 1}


def test_a_mark_stands_for_a_text() -> None:
    assert mark("said") == mark("said") != mark("Said")
    assert len(mark("\ud800")) == 16
