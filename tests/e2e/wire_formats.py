"""Four ways to speak to a model: Anthropic's messages, OpenAI's chat completions and responses, Gemini's content.

Each format reads a request (which tools are offered, how many results of tools it carries) and writes a turn as one
answer or as a stream of server-sent events. Pure. What the turn says is left to `model_server`.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

Json = dict[str, Any]
Schema = Mapping[str, Any]

INPUT_TOKENS, OUTPUT_TOKENS = 100, 20
_IN = "/"  # between a namespace and the name in it


class Call(NamedTuple):
    """The model calls a tool."""

    id: str
    tool: str
    arguments: Json | str  # a text where the tool takes one, which only the responses of OpenAI know
    input_tokens: int = INPUT_TOKENS

    @property
    def encoded(self) -> str:
        return self.arguments if isinstance(self.arguments, str) else json.dumps(self.arguments)


class Said(NamedTuple):
    """The model says something and ends its turn."""

    id: str
    text: str
    input_tokens: int = INPUT_TOKENS


Turn = Call | Said


class Asked(NamedTuple):
    """What matters of a request."""

    tools: Mapping[str, Schema]
    results: int
    messages: Sequence[Any] = ()
    text: str = ""


class Format(Protocol):
    def read(self, body: Json) -> Asked: ...

    def answer(self, model: str, turn: Turn) -> Json: ...

    def stream(self, model: str, turn: Turn) -> Iterator[str]: ...


class Anthropic:
    def read(self, body: Json) -> Asked:
        tools = {tool["name"]: tool.get("input_schema", {}) for tool in body.get("tools", ())}
        contents = [message["content"] for message in body["messages"]]
        blocks = [block for content in contents if isinstance(content, list) for block in content]
        results = sum(block["type"] == "tool_result" for block in blocks)
        return Asked(tools, results, body["messages"], _text(body))

    def answer(self, model: str, turn: Turn) -> Json:
        if isinstance(turn, Call):
            block = {"type": "tool_use", "id": f"toolu_{turn.id}", "name": turn.tool, "input": turn.arguments}
        else:
            block = {"type": "text", "text": turn.text}
        return {
            "id": f"msg_{turn.id}",
            "type": "message",
            "role": "assistant",
            "model": model,
            "content": [block],
            "stop_reason": "tool_use" if isinstance(turn, Call) else "end_turn",
            "stop_sequence": None,
            "usage": {"input_tokens": turn.input_tokens, "output_tokens": OUTPUT_TOKENS},
        }

    def stream(self, model: str, turn: Turn) -> Iterator[str]:
        message = self.answer(model, turn)
        (block,) = message["content"]
        if isinstance(turn, Call):
            begun, delta = {**block, "input": {}}, {"type": "input_json_delta", "partial_json": turn.encoded}
        else:
            begun, delta = {**block, "text": ""}, {"type": "text_delta", "text": turn.text}
        ended = {"stop_reason": message["stop_reason"], "stop_sequence": None}
        for event in (
            {"type": "message_start", "message": {**message, "content": [], "stop_reason": None}},
            {"type": "content_block_start", "index": 0, "content_block": begun},
            {"type": "content_block_delta", "index": 0, "delta": delta},
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": ended, "usage": message["usage"]},
            {"type": "message_stop"},
        ):
            yield _event(event, named=True)


class Chat:
    def read(self, body: Json) -> Asked:
        functions = [tool["function"] for tool in body.get("tools") or () if tool["type"] == "function"]
        tools = {function["name"]: function.get("parameters", {}) for function in functions}
        results = sum(message["role"] == "tool" for message in body["messages"])
        return Asked(tools, results, body["messages"], _text(body))

    def answer(self, model: str, turn: Turn) -> Json:
        choice = {"index": 0, "message": self._message(turn), "finish_reason": self._reason(turn)}
        return {**self._head(model, turn, "chat.completion"), "choices": [choice], "usage": self._usage(turn)}

    def stream(self, model: str, turn: Turn) -> Iterator[str]:
        head = self._head(model, turn, "chat.completion.chunk")
        message = self._message(turn)
        if "tool_calls" in message:
            message["tool_calls"] = [{"index": 0, **call} for call in message["tool_calls"]]
        said = {"index": 0, "delta": message, "finish_reason": None}
        ended = {"index": 0, "delta": {}, "finish_reason": self._reason(turn)}
        yield _event({**head, "choices": [said]})
        yield _event({**head, "choices": [ended]})
        yield _event({**head, "choices": [], "usage": self._usage(turn)})
        yield "data: [DONE]\n\n"

    def _head(self, model: str, turn: Turn, kind: str) -> Json:
        return {"id": f"chatcmpl-{turn.id}", "object": kind, "created": 1, "model": model}

    def _message(self, turn: Turn) -> Json:
        if isinstance(turn, Said):
            return {"role": "assistant", "content": turn.text}
        function = {"name": turn.tool, "arguments": turn.encoded}
        call = {"id": f"call_{turn.id}", "type": "function", "function": function}
        return {"role": "assistant", "content": None, "tool_calls": [call]}

    def _reason(self, turn: Turn) -> str:
        return "tool_calls" if isinstance(turn, Call) else "stop"

    def _usage(self, turn: Turn) -> Json:
        total = turn.input_tokens + OUTPUT_TOKENS
        return {"prompt_tokens": turn.input_tokens, "completion_tokens": OUTPUT_TOKENS, "total_tokens": total}


class Responses:
    def read(self, body: Json) -> Asked:
        tools = {name: tool.get("parameters", {}) for name, tool in self._offered(body.get("tools") or ())}
        items = body["input"] if isinstance(body["input"], list) else []
        results = sum(item.get("type") in ("function_call_output", "custom_tool_call_output") for item in items)
        return Asked(tools, results, items, _text(body))

    def answer(self, model: str, turn: Turn) -> Json:
        return self._response(model, turn, "completed", [self._item(turn)])

    def stream(self, model: str, turn: Turn) -> Iterator[str]:
        item = self._item(turn)
        place = {"item_id": item["id"], "output_index": 0}
        unsaid: Json = {_given(turn): ""} if isinstance(turn, Call) else {"content": []}
        begun = {**item, "status": "in_progress", **unsaid}
        events: tuple[Json, ...] = (
            {"type": "response.created", "response": self._response(model, turn, "in_progress", [])},
            {"type": "response.output_item.added", "output_index": 0, "item": begun},
            *({**place, **event} for event in self._deltas(turn)),
            {"type": "response.output_item.done", "output_index": 0, "item": item},
            {"type": "response.completed", "response": self.answer(model, turn)},
        )
        for number, event in enumerate(events):
            yield _event({**event, "sequence_number": number}, named=True)

    def _item(self, turn: Turn) -> Json:
        if isinstance(turn, Said):
            said = {"type": "message", "id": f"msg_{turn.id}", "role": "assistant", "status": "completed"}
            return {**said, "content": [self._part(turn.text)]}
        called = {"type": _kind(turn), "id": f"fc_{turn.id}", "call_id": f"call_{turn.id}", "status": "completed"}
        space, _, name = turn.tool.rpartition(_IN)
        return {**called, **({"namespace": space} if space else {}), "name": name, _given(turn): turn.encoded}

    def _offered(self, tools: Sequence[Json]) -> Iterator[tuple[str, Json]]:
        """Tools by name. Those of a server stand together in a namespace."""
        for tool in tools:
            if tool.get("type") == "namespace":
                yield from ((f"{tool['name']}{_IN}{one['name']}", one) for one in tool["tools"])
            elif "name" in tool:
                yield tool["name"], tool

    def _deltas(self, turn: Turn) -> Sequence[Json]:
        if isinstance(turn, Call):
            kind = f"response.{_kind(turn)}_{_given(turn)}"
            return (
                {"type": f"{kind}.delta", "delta": turn.encoded},
                {"type": f"{kind}.done", _given(turn): turn.encoded},
            )
        text, part = "response.output_text", "response.content_part"
        return (
            {"type": f"{part}.added", "content_index": 0, "part": self._part("")},
            {"type": f"{text}.delta", "content_index": 0, "delta": turn.text},
            {"type": f"{text}.done", "content_index": 0, "text": turn.text},
            {"type": f"{part}.done", "content_index": 0, "part": self._part(turn.text)},
        )

    def _part(self, text: str) -> Json:
        return {"type": "output_text", "text": text, "annotations": []}

    def _response(self, model: str, turn: Turn, status: str, output: list[Json]) -> Json:
        usage = {
            "input_tokens": turn.input_tokens,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": OUTPUT_TOKENS,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": turn.input_tokens + OUTPUT_TOKENS,
        }
        head = {"id": f"resp_{turn.id}", "object": "response", "created_at": 1, "status": status, "model": model}
        return {**head, "output": output, "usage": usage}


class Gemini:
    def read(self, body: Json) -> Asked:
        functions = [one for tool in body.get("tools", ()) for one in tool.get("functionDeclarations", ())]
        tools = {one["name"]: one.get("parametersJsonSchema") or one.get("parameters", {}) for one in functions}
        parts = [part for content in body["contents"] for part in content.get("parts", ())]
        return Asked(tools, sum("functionResponse" in part for part in parts), body["contents"], _text(body))

    def answer(self, model: str, turn: Turn) -> Json:
        if isinstance(turn, Call):
            call = {"id": f"call_{turn.id}", "name": turn.tool, "args": turn.arguments}
            part: Json = {"functionCall": call}
        else:
            part = {"text": turn.text}
        usage = {
            "promptTokenCount": turn.input_tokens,
            "candidatesTokenCount": OUTPUT_TOKENS,
            "totalTokenCount": turn.input_tokens + OUTPUT_TOKENS,
        }
        candidate = {"index": 0, "content": {"role": "model", "parts": [part]}, "finishReason": "STOP"}
        return {"candidates": [candidate], "modelVersion": model, "usageMetadata": usage}

    def stream(self, model: str, turn: Turn) -> Iterator[str]:
        yield _event(self.answer(model, turn))


def _kind(call: Call) -> str:
    return "custom_tool_call" if isinstance(call.arguments, str) else "function_call"


def _given(call: Call) -> str:
    """What the responses of OpenAI call that which a tool is called with."""
    return "input" if isinstance(call.arguments, str) else "arguments"


def _text(body: Json) -> str:
    """All that the model reads of a request, but for the tools on offer."""
    return "\n".join(_strings([value for name, value in body.items() if name != "tools"]))


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _strings(each)


def _event(data: Json, *, named: bool = False) -> str:
    """One server-sent event, with its type as its name if the format wants that."""
    name = f"event: {data['type']}\n" if named else ""
    return f"{name}data: {json.dumps(data)}\n\n"
