from afterwit.agents.claude_code.messages import ClaudeState


def test_what_grows_with_the_file_is_bounded() -> None:
    state = ClaudeState()
    for number in range(3000):
        state.root_of(f"u{number}", f"u{number - 1}")
        state.remember_call(f"c{number}", "t")
        state.remember_queued(f"q{number}")
        state.remember_message(f"m{number}")
        state.count(f"type-{number}", is_known=False)
    assert (len(state.roots), len(state.agent_types), len(state.queued), len(state.recent)) == (500, 50, 64, 32)
    assert len(state.unknown) == 101
    assert state.roots["u2999"] == "u0"


def test_a_fact_is_told_once_until_it_changes() -> None:
    state = ClaudeState()
    assert [state.tells_new("cwd", value) for value in ("/a", "/a", "/b", "/a")] == [True, False, True, True]


def test_a_queued_text_is_taken_back_as_often_as_it_was_put_there() -> None:
    state = ClaudeState()
    state.remember_queued("again\n")
    state.remember_queued("again")
    assert [state.was_queued("again") for _ in range(3)] == [True, True, False]
