from afterwit.agents.declared.reader import Calls


def test_a_result_with_an_id_answers_the_latest_call_of_that_id() -> None:
    calls = Calls()
    assert calls.made("s", "call_0", "run", 0, 0) == "call_0"
    assert calls.answered("s", "call_0", "", 10) == "call_0"
    assert calls.made("s", "call_0", "run", 20, 0) == "call_0#2"
    assert calls.answered("s", "call_0", "", 30) == "call_0#2"
    assert calls.open == []


def test_ids_of_other_sessions_are_other_ids() -> None:
    calls = Calls()
    assert calls.made("s", "1", "run", 0, 0) == "1"
    assert calls.made("t", "1", "run", 5, 0) == "1"
    assert calls.answered("s", "1", "", 10) == "1"
    assert [call.session for call in calls.open] == ["t"]


def test_no_id_is_trusted_to_be_unique_for_its_looks() -> None:
    calls = Calls()
    assert calls.made("s", "call_0000000000000001", "run", 0, 0) == "call_0000000000000001"
    assert calls.made("s", "call_0000000000000001", "run", 9, 0) == "call_0000000000000001#2"


def test_a_result_without_an_id_answers_the_call_in_its_own_record_first() -> None:
    calls = Calls()
    calls.made("s", "", "run", 0, 0)
    calls.made("s", "", "run", 50, 0)
    assert calls.answered("s", "", "run", 50) == "at-50-0"
    assert calls.answered("s", "", "run", 90) == "at-0-0"


def test_a_result_without_an_id_answers_the_oldest_call_of_its_tool() -> None:
    calls = Calls()
    calls.made("s", "", "read", 0, 0)
    calls.made("s", "", "run", 10, 0)
    calls.made("s", "", "run", 20, 0)
    assert calls.answered("s", "", "run", 30) == "at-10-0"
    assert calls.answered("s", "", "", 40) == "at-0-0"
    assert calls.answered("s", "", "write", 50) == "at-50"


def test_open_calls_and_uses_stay_bounded() -> None:
    calls = Calls()
    for number in range(6000):
        calls.made("s", f"c{number}", "run", number, 0)
    assert len(calls.open) == 100
    assert len(calls.uses) == 5000
