"""A program of its own: asks a model through the library `llm`, or looks whether it could be asked.

Plugins of `llm` may load gigabytes, print, or never return; in a process of their own they can be ended. One
`LlmCall` comes in as JSON on the standard input, one `LlmReply` goes out on the standard output; whatever a plugin
prints goes elsewhere. What is raised ends the program, and its last line says why. Nothing is written into the log of
`llm`.
"""

import os
import sys
from typing import Any

import msgspec

_LIMITS = ("max_tokens", "max_output_tokens", "num_predict")  # what plugins call the longest answer


class LlmCall(msgspec.Struct, frozen=True, kw_only=True):
    """What is wanted: an answer, or, without a text, only a look at the model."""

    model: str  # "": the default of `llm`
    system: str = ""
    text: str = ""
    form: dict[str, Any] = {}
    most_tokens: int = 0


class LlmReply(msgspec.Struct, frozen=True, kw_only=True):
    """What came of it."""

    model: str = ""  # its name, with that of its maker
    address: str = ""  # where it is, if that was configured
    is_unknown: bool = False
    lacks_key: str = ""  # the name of the key that is missing
    key_variable: str = ""
    text: str = ""
    tokens_in: int | None = None
    tokens_out: int | None = None


def main() -> None:
    out = os.dup(1)
    os.dup2(2, 1)
    call = msgspec.json.decode(sys.stdin.buffer.read(), type=LlmCall)
    with os.fdopen(out, "wb") as told:
        told.write(msgspec.json.encode(reply(call)))


def reply(call: LlmCall) -> LlmReply:
    """Asks, if there is something to ask and nothing stands in the way."""
    import llm

    try:
        model = llm.get_model(call.model)
    except llm.UnknownModelError:
        return LlmReply(model=call.model or llm.get_default_model(), is_unknown=True)
    look = LlmReply(model=str(model), address=str(getattr(model, "api_base", None) or ""))
    if model.needs_key and not (model.key or llm.get_key(alias=model.needs_key, env=model.key_env_var)):
        return msgspec.structs.replace(look, lacks_key=model.needs_key, key_variable=model.key_env_var or "")
    if not call.text:
        return look
    form = {"schema": call.form} if call.form and model.supports_schema else {}
    answer = model.prompt(call.text, system=call.system, stream=False, **form, **_options(model, call))
    text, usage = answer.text(), answer.usage()
    return msgspec.structs.replace(
        look, text=text.encode("utf-8", "replace").decode(), tokens_in=usage.input, tokens_out=usage.output
    )


def _options(model: Any, call: LlmCall) -> dict[str, Any]:
    """Holds the answer to what is reserved for it, where the model lets itself be held."""
    there = model.Options.model_fields
    options: dict[str, Any] = {name: call.most_tokens for name in _LIMITS if name in there and call.most_tokens}
    if "reasoning_effort" in there:
        options["reasoning_effort"] = "low"  # thoughts count as part of the answer
    return options


if __name__ == "__main__":
    main()
