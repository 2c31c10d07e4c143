"""The form that an answer must have, for each kind of request: about a session, or about notes. Pure."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from afterwit.reader import answers, consolidating
from afterwit.reader.note_claims import NoteClaims
from afterwit.reader.requests import ReadingRequest


class AnswerForm(NamedTuple):
    """What is asked for."""

    name: str
    schema: Mapping[str, Any]  # for models that can be held to it
    words: str  # for people and models
    empty: str  # what to say where there is nothing to say


def form_of(request: ReadingRequest) -> AnswerForm:
    """The form of the answer to a request."""
    if request.items:
        lists = ", ".join(f"`{field}`" for field in NoteClaims._fields)
        nothing = '{"same": [], "replaced": [], "contradict": []}'
        return AnswerForm("settled", consolidating.schema(), f"a JSON object with the lists {lists}", nothing)
    return AnswerForm("notes", answers.schema(), "a JSON object with a list `notes`", '{"notes": []}')


def with_remark(request: ReadingRequest) -> ReadingRequest:
    """The same question, to a model whose answer to it was not understood."""
    form = form_of(request)
    remark = (
        f"\n## A remark\nYour last answer to this was not understood: there was not {form.words} in it. Answer with"
        f" nothing but that object, {form.empty} where there is nothing to say.\n"
    )
    return request._replace(text=request.text + remark)
