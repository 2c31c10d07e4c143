"""Models that the library `llm` knows: those of OpenAI and of every service and local program that has a plugin.

`llm` is an extra (`afterwit[llm]`). Names, keys and addresses of models are those that `llm` was told; nothing of them
is kept here. Each question is asked in a process of its own (`llm_process`), which is ended when its time is up.
"""

import sys
from functools import cached_property
from importlib.util import find_spec
from typing import NamedTuple

import msgspec

from afterwit.model.errors import install_command
from afterwit.reader.answers import GivenAnswer
from afterwit.reader.ways import llm_process
from afterwit.reader.ways.client_process import run_client
from afterwit.reader.ways.llm_process import LlmCall, LlmReply
from afterwit.reader.ways.way import ModelQuestion, Way, WaySurroundings

_LOOK_SECONDS = 60.0  # plugins may load much before they say which models they have
_LONGEST_REASON = 300
_PROGRAM = f"{sys.executable} -m llm"  # plugins count only where they are installed beside us


def llm(model: str, surroundings: WaySurroundings) -> Way:
    """The way to a model of `llm`; to its default model where no name is given."""
    return LlmWay(model, surroundings)


class _Outcome(NamedTuple):
    """What the process said, or why it said nothing."""

    reply: LlmReply
    fault: str = ""


class LlmWay:
    """One model of `llm`."""

    overhead_tokens = 200
    most_at_once = 2  # a plugin may load a whole model into each process

    def __init__(self, model: str, surroundings: WaySurroundings) -> None:
        self._model = model
        self._surroundings = surroundings

    def recipient(self) -> str:
        look = self._look
        if not look.reply.model or look.reply.is_unknown:
            return f"whoever runs the model {self._model!r} of `llm`" if self._model else "the default model of `llm`"
        where = f" at {look.reply.address}" if look.reply.address else ""
        return f"{look.reply.model}{where}, through `llm`"

    def refusal(self) -> str:
        look = self._look
        if look.fault:
            return look.fault
        reply = look.reply
        if reply.is_unknown:
            return (
                f"`llm` knows no model {reply.model!r}. `{_PROGRAM} models` lists those that it knows;"
                f" plugins bring more: `{_PROGRAM} install llm-anthropic`, for example."
            )
        if reply.lacks_key:
            variable = f", or set {reply.key_variable}" if reply.key_variable else ""
            return (
                f"`llm` has no key for {reply.model}. Give it one: `{_PROGRAM} keys set {reply.lacks_key}`{variable}."
            )
        return ""

    def answer(self, question: ModelQuestion, seconds: float) -> GivenAnswer:
        call = LlmCall(
            model=self._model,
            system=question.system,
            text=question.text,
            form=dict(question.schema),
            most_tokens=question.answer_tokens,
        )
        reply, fault = self._said(call, seconds)
        if not fault and (reply.is_unknown or reply.lacks_key):
            fault = f"no key for {reply.model}" if reply.lacks_key else f"`llm` knows no model {reply.model!r}"
        if not fault and not reply.text.strip():
            fault = "the model answered nothing"
        return GivenAnswer(question.id, reply.text, reply.tokens_in, reply.tokens_out, fault)

    @cached_property
    def _look(self) -> _Outcome:
        return self._said(LlmCall(model=self._model), _LOOK_SECONDS)

    def _said(self, call: LlmCall, seconds: float) -> _Outcome:
        """What the process says to a call."""
        if find_spec("llm") is None:
            remedy = f"Install it: `{install_command('llm')}`."
            return _Outcome(LlmReply(), f"`llm` is not installed beside afterwit. {remedy}")
        folder = self._surroundings.folder
        folder.mkdir(parents=True, exist_ok=True)
        command = (sys.executable, "-P", "-m", llm_process.__name__)
        text = msgspec.json.encode(call).decode()
        run = run_client(command, self._surroundings.environ, folder, text, seconds)
        if run.fault or run.code:
            return _Outcome(LlmReply(), run.fault or _reason(run.stderr))
        try:
            return _Outcome(msgspec.json.decode(run.stdout, type=LlmReply))
        except (msgspec.DecodeError, UnicodeError):
            return _Outcome(LlmReply(), "`llm` ended without an answer")


def _reason(stderr: str) -> str:
    """The last line of what went wrong; the rest is a trace."""
    lines = [line.strip() for line in stderr.splitlines() if line.strip()]
    return f"`llm` failed: {lines[-1][:_LONGEST_REASON] if lines else 'it gave no reason'}"
