"""What our own plugins and extensions inside agents send to the hook, and what they do with its answer.

In: `session`, `cwd`, and by event `source`, `prompt`, or `call`, `tool`, `input`, `output`, `exit_code`, `is_error`.
Out: `context` for the model, `deny` with a reason, or `input` to call the tool with. Nothing at all is silence.
"""

from afterwit.agents.moments import Answer, Moment, all_text, fields_at, text_at
from afterwit.model.quick_json import dumps


def read(event: str, payload: dict[str, object]) -> Moment:
    code, is_error = payload.get("exit_code"), payload.get("is_error")
    return Moment(
        event,
        text_at(payload, "session"),
        cwd=text_at(payload, "cwd"),
        context=text_at(payload, "context"),
        source=text_at(payload, "source"),
        prompt=all_text(payload.get("prompt")),
        tool=text_at(payload, "tool"),
        arguments=fields_at(payload, "input"),
        call=text_at(payload, "call"),
        output=all_text(payload.get("output")),
        is_error=is_error if isinstance(is_error, bool) else None,
        exit_code=code if isinstance(code, int) and not isinstance(code, bool) else None,
    )


def write(moment: Moment, answer: Answer) -> str:  # noqa: ARG001 - every agent's has it
    said: dict[str, object] = {}
    if answer.reason:
        said["deny"] = answer.reason
    elif answer.arguments is not None:
        said["input"] = answer.arguments
    if answer.text:
        said["context"] = answer.text
    return dumps(said) if said else ""
