from tests.harvest.talks import talk
from tests.harvest.work import failed, piped, ran, session

from afterwit.measure.collect import AgentFiles, CaptureTally, capture_health


def test_actions_whose_end_is_not_known_are_counted_by_agent() -> None:
    tally = CaptureTally()
    tally.take(session(ran("ls"), piped("make | tail"), ran("sleep 9 &", is_over=False), failed("press")))
    tally.take(talk(agent="gemini"))
    codex, gemini, hermes = tally.rows({"codex": AgentFiles(2, 1, 3)}, {"codex": 4, "hermes": 1})
    assert codex == ("codex", 1, 2, 1, 3, 4, 2, 1, 4)
    assert gemini == ("gemini", 1, 0, 0, 0, 0, 0, 0, 0)
    assert hermes == ("hermes", 0, 0, 0, 0, 0, 0, 0, 1)
    figure = capture_health([codex, gemini, hermes])
    assert (figure.sessions, figure.unreadable, figure.unknown, figure.unknown_share) == (2, 1, 2, 0.5)
    assert (figure.suggested, figure.hook_faults, len(figure.agents)) == (1, 5, 3)


def test_without_actions_there_is_no_share() -> None:
    assert capture_health([]).unknown_share is None
