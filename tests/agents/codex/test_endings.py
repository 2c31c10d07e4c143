"""Outputs and end events in both orders."""

import msgspec

from afterwit.agents.codex.records import CodexEnding, Endings, Payload, ending_of
from afterwit.model.readings import Result


def test_an_early_event_fills_what_the_output_leaves_open() -> None:
    endings = Endings()
    assert endings.event("c", CodexEnding(exit_code=4, duration_ms=9)) is None
    assert endings.output("c", Result(is_error=True)) == Result(is_error=True, exit_code=4, duration_ms=9)
    assert endings == Endings()


def test_an_event_does_not_overrule_the_output() -> None:
    endings = Endings()
    endings.event("c", CodexEnding(exit_code=4, is_error=True, duration_ms=9))
    assert endings.output("c", Result(exit_code=0, duration_ms=1)) == Result(exit_code=0, duration_ms=1)


def test_an_event_after_a_finished_output_says_nothing() -> None:
    endings = Endings()
    endings.output("c", Result(exit_code=0))
    assert endings.event("c", CodexEnding(exit_code=0)) is None


def test_what_never_gets_an_output_is_forgotten_in_the_end() -> None:
    endings = Endings()
    for number in range(500):
        endings.event(f"e{number}", CodexEnding())
        endings.output(f"o{number}", Result(is_running=True))
    assert len(endings.early) == 64
    assert len(endings.running) <= 65
    assert "e499" in endings.early


def test_a_failed_tool_server_is_an_error() -> None:
    for raw, is_error in ((b'{"Err":"gone"}', True), (b'{"Ok":{"isError":true}}', True), (b'{"Ok":{}}', False)):
        event = msgspec.json.decode(b'{"result":' + raw + b"}", type=Payload)
        assert ending_of(event).is_error is is_error


def test_a_declined_command_is_denied() -> None:
    assert ending_of(Payload(status="declined")).is_denied
