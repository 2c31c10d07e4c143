from afterwit.agents.gemini.reader import Response, parts_of
from afterwit.agents.messages import Asked


def test_parts_are_sorted_by_kind() -> None:
    parts = parts_of(
        [
            {"text": "Hm.", "thought": True},
            {"text": "I look."},
            "Then I act.",
            {"functionCall": {"id": "c1", "name": "ls", "args": {"path": "."}}},
            {"functionResponse": {"id": "c1", "response": {"output": "a"}}},
            {"inlineData": {"mimeType": "image/png", "data": "QUJD"}},
            {"fileData": {"mimeType": "application/pdf", "fileUri": "x"}},
            None,
            7,
        ]
    )
    assert parts.thoughts == ["Hm."]
    assert parts.texts == ["I look.", "Then I act.", "[image]", "[file]"]
    assert parts.calls == [Asked("c1", "ls", {"path": "."})]
    assert parts.responses == [Response("c1", {"output": "a"})]


def test_a_plain_text_is_one_part() -> None:
    assert parts_of("Hello").text == "Hello"
    assert parts_of(None).text == ""
    assert parts_of({"text": "Hello"}).text == "Hello"
