"""Models of `llm`: a real `llm`, and a service on loopback in place of a hosted one."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from afterwit.reader.answers import GivenAnswer, notes_schema
from afterwit.reader.requests import ANSWER_TOKENS
from afterwit.reader.ways import llm_models
from afterwit.reader.ways.way import ModelQuestion, Way, WaySurroundings

QUESTION = ModelQuestion("a1b2", "Read this.", "1 user: Prune the trees.", notes_schema())
ANSWER = '{"notes": []}'
SECONDS = 120.0
pytestmark = pytest.mark.slow  # each starts a process that loads `llm` and its plugins
needs_llm = pytest.mark.skipif(find_spec("llm") is None, reason="`llm` is not installed")


@contextmanager
def service(status: int, body: dict[str, Any]) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Its address, and what it was asked."""
    asked: list[dict[str, Any]] = []

    class Service(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            said = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(said)))
            self.end_headers()
            self.wfile.write(said)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Service) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/v1", asked
        finally:
            server.shutdown()
            thread.join()


def completion(text: str) -> dict[str, Any]:
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}
    usage = {"prompt_tokens": 7, "completion_tokens": 2, "total_tokens": 9}
    return {"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice], "usage": usage}


def way_to(folder: Path, model: str, *models: dict[str, Any]) -> Way:
    folder.joinpath("llm").mkdir()
    folder.joinpath("llm/extra-openai-models.yaml").write_text(json.dumps(models))
    environ = {"LLM_USER_PATH": str(folder / "llm"), "LLM_LOAD_PLUGINS": "", "HOME": str(folder)}
    return llm_models.llm(model, WaySurroundings(environ, folder, folder / "work"))


def orchard(address: str, **more: Any) -> dict[str, Any]:
    return {"model_id": "orchard", "model_name": "orchard-1", "api_base": address, "supports_schema": True} | more


@needs_llm
def test_a_model_answers_by_the_form_and_within_its_length(tmp_path: Path) -> None:
    with service(200, completion(ANSWER)) as (address, asked):
        way = way_to(tmp_path, "orchard", orchard(address))
        assert way.refusal() == ""
        assert address in way.recipient()
        assert asked == []
        assert way.answer(QUESTION, SECONDS) == GivenAnswer("a1b2", ANSWER, 7, 2)
    (body,) = asked
    assert [(message["role"], message["content"]) for message in body["messages"]] == [
        ("system", QUESTION.system),
        ("user", QUESTION.text),
    ]
    assert body["max_tokens"] == ANSWER_TOKENS
    assert body["response_format"]["json_schema"]["schema"]["required"] == ["notes", "repeats"]
    assert [path.name for path in (tmp_path / "llm").iterdir()] == ["extra-openai-models.yaml"]


@needs_llm
def test_a_model_without_forms_is_asked_without_one(tmp_path: Path) -> None:
    with service(200, completion(ANSWER)) as (address, asked):
        way = way_to(tmp_path, "orchard", orchard(address, supports_schema=False))
        assert way.answer(QUESTION, SECONDS).text == ANSWER
    assert "response_format" not in asked[0]


@needs_llm
def test_what_the_service_refuses_is_a_fault_with_its_reason(tmp_path: Path) -> None:
    with service(400, {"error": {"message": "the orchard is closed"}}) as (address, _):
        answer = way_to(tmp_path, "orchard", orchard(address)).answer(QUESTION, SECONDS)
    assert answer.text == ""
    assert "the orchard is closed" in answer.fault


@needs_llm
def test_an_empty_answer_is_a_fault_that_was_paid_for(tmp_path: Path) -> None:
    with service(200, completion(" ")) as (address, _):
        answer = way_to(tmp_path, "orchard", orchard(address)).answer(QUESTION, SECONDS)
    assert (bool(answer.fault), answer.tokens_in, answer.tokens_out) == (True, 7, 2)


@needs_llm
def test_a_call_whose_time_is_up_is_a_fault(tmp_path: Path) -> None:
    answer = way_to(tmp_path, "orchard", orchard("http://127.0.0.1:1/v1")).answer(QUESTION, 0.0)
    assert answer.fault


@needs_llm
def test_an_unknown_model_is_refused_with_what_lists_them(tmp_path: Path) -> None:
    way = way_to(tmp_path, "pear-9")
    assert "'pear-9'" in way.refusal()
    assert "-m llm models`" in way.refusal()
    assert "pear-9" in way.recipient()
    assert "pear-9" in way.answer(QUESTION, SECONDS).fault


@needs_llm
def test_a_missing_key_is_refused_with_what_sets_it(tmp_path: Path) -> None:
    way = way_to(tmp_path, "orchard", orchard("http://127.0.0.1:1/v1", api_key_name="pears"))
    assert "keys set pears`" in way.refusal()
    assert "pears" not in way.recipient()
    assert "key" in way.answer(QUESTION, SECONDS).fault


@needs_llm
def test_settings_that_llm_cannot_read_are_a_refusal_and_no_trace(tmp_path: Path) -> None:
    way = way_to(tmp_path, "orchard")
    tmp_path.joinpath("llm/extra-openai-models.yaml").write_text("- {")
    assert way.refusal().startswith("`llm` failed: ")
    assert "\n" not in way.refusal()


def test_without_llm_the_refusal_says_how_to_install_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(llm_models, "find_spec", lambda _name: None)
    way = way_to(tmp_path, "orchard")
    assert "afterwit[llm]" in way.refusal()
    assert "orchard" in way.recipient()
    assert "afterwit[llm]" in way.answer(QUESTION, SECONDS).fault
