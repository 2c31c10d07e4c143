"""How a page is asked for and answered: what a handler gets, what it may give back, and how templates are drawn.

A handler is an ordinary function from an `Ask` to an `WebAnswer`; it knows neither the server nor the checks before it.
Templates get the values that a handler names, and the few that every page has. They escape every value by themselves;
before that, characters that would change how the text around them is shown are replaced by signs that can be seen.
"""

import datetime as dt
import json
import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple
from urllib.parse import parse_qs, quote, urlencode, urlsplit

import jinja2
from markupsafe import Markup, escape

from afterwit import __version__
from afterwit.config.extras import extras
from afterwit.config.show import Configured
from afterwit.config.world import World
from afterwit.connect.plan import Machine
from afterwit.model.figures import human_bytes, human_count, human_dollars, human_span, human_tokens
from afterwit.model.kinds import Outcome
from afterwit.model.text import mark_words, regex

_CONTROLS = {code: chr(0x2400 + code) for code in range(0x20) if chr(code) not in "\n\t"} | {0x7F: "␡"}
_CODE = Markup("<code>{}</code>")
_HIDDEN = regex(
    "[\x80-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\ud800-\udfff\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)


def visible(text: str) -> str:
    """The text with every character that acts instead of being seen replaced by a sign."""
    if text.isascii() and text.isprintable():
        return text
    return _HIDDEN.sub(_sign, text.replace("\r\n", "\n").translate(_CONTROLS))


def finalize(value: Any) -> Any:
    """What a template is about to print: nothing for None, visible text for any other text."""
    if value is None:
        return ""
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def prose(text: str) -> Markup:
    """A sentence of ours, whose commands and names stand between backticks: these are shown as code."""
    pieces = visible(text).split("`")
    if len(pieces) % 2 == 0:
        return escape(visible(text))
    render = (_CODE.format(piece) if number % 2 and piece else escape(piece) for number, piece in enumerate(pieces))
    return Markup("").join(render)


def _sign(hidden: re.Match[str]) -> str:
    return f"⟨{ord(hidden[0]):04X}⟩"


class WebPlace(NamedTuple):
    """The settings in force, the world they describe, and the machine that agents are connected on."""

    configured: Configured
    world: World
    machine: Machine


OpenPlace = Callable[[], WebPlace]


HERE = Path(__file__).parent
_BEGIN, _END = "\x02", "\x03"  # which visible text does not hold
_HTML = "text/html; charset=utf-8"


class Ask(NamedTuple):
    """One request, as far as a handler may see it."""

    place: WebPlace
    path: str
    names: Mapping[str, str]  # the parts of the path that stand for something
    query: Mapping[str, Sequence[str]]
    form: Mapping[str, str]
    is_fragment: bool  # the page is open already, and wants a part of it
    kept: dict[str, Any]  # what handlers keep between two requests of one run
    csrf: str

    @property
    def world(self) -> World:
        return self.place.world

    def first(self, name: str, default: str = "") -> str:
        """The value of a field of the query."""
        values = self.query.get(name)
        return values[0].strip() if values else default

    def many(self, name: str) -> tuple[str, ...]:
        """All values of a field that are not empty."""
        return tuple(value.strip() for value in self.query.get(name, ()) if value.strip())

    def number(self, name: str, default: int = 0) -> int:
        typed = self.first(name)
        return int(typed) if typed.isascii() and typed.isdigit() and len(typed) < 10 else default


class WebAnswer(NamedTuple):
    body: bytes = b""
    status: int = 200
    kind: str = _HTML
    headers: tuple[tuple[str, str], ...] = ()


class WebRoute(NamedTuple):
    """A path in the words of Starlette, and who answers it."""

    path: str
    handler: Callable[[Ask], WebAnswer]
    method: str = "GET"


def render(ask: Ask, template: str, code: int = 200, **values: Any) -> WebAnswer:
    """A page, or a part of one."""
    common = {"ask": ask, "csrf": ask.csrf, "version": __version__, "calendar": ask.world.calendar}
    return WebAnswer(_templates().get_template(template).render(**common, **values).encode("utf-8", "replace"), code)


def redirect(to: str) -> WebAnswer:
    """Leads to another page, by looking at it anew."""
    return WebAnswer(status=303, headers=(("location", to),))


def download(body: bytes, name: str, kind: str = "application/octet-stream") -> WebAnswer:
    """A file that the browser keeps and never shows."""
    safe = "".join(letter if letter.isascii() and (letter.isalnum() or letter in "-_.") else "-" for letter in name)
    return WebAnswer(body, kind=kind, headers=(("content-disposition", f'attachment; filename="{safe}"'),))


def back_of(ask: Ask, default: str) -> str:
    """The page that a form came from, where that is one of ours."""
    back = ask.form.get("back", "")
    is_ours = back.startswith("/") and not back.startswith("//") and "\\" not in back and back.isprintable()
    return back if is_ours and back.isascii() else default


def back_with(ask: Ask, default: str, **changes: Any) -> WebAnswer:
    """Leads back to the page that a form came from, with other fields."""
    parts = urlsplit(back_of(ask, default))
    return redirect(with_fields(parts.path, parse_qs(parts.query), **changes))


def with_fields(path: str, query: Mapping[str, Sequence[str]], **changes: Any) -> str:
    """The same page with other fields; one that is None or empty is left out."""
    fields: dict[str, list[str]] = {name: list(values) for name, values in query.items() if name not in changes}
    fields |= {name: [str(value)] for name, value in changes.items() if value not in (None, "")}
    pairs = [(name, value) for name, values in fields.items() for value in values if value]
    return f"{path}?{urlencode(pairs)}" if pairs else path


def session_path(agent: str, native_id: str) -> str:
    """Where the transcript of a session is."""
    return f"/sessions/{quote(agent, safe='')}/{quote(native_id, safe='/')}"


def _mark(text: str, words: Sequence[str]) -> list[tuple[bool, str]]:
    """The text in pieces, with whether each is one of the words that were looked for."""
    pieces: list[tuple[bool, str]] = []
    for number, piece in enumerate(mark_words(visible(text), words, _BEGIN, _END).split(_BEGIN)):
        match, _, rest = piece.partition(_END) if number else ("", "", piece)
        pieces += [(True, match), (False, rest)]
    return [piece for piece in pieces if piece[1]]


def _setting(value: Any) -> str:
    """A value of the configuration as its file would have it, or as near as one reads it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | tuple | set | frozenset):
        return ", ".join(map(_setting, value)) or "none"
    return str(value) if value not in (None, "") else "none"


def extra_pages() -> list[ModuleType]:
    """The modules of extras that answer paths of their own."""
    return [import_module(name) for extra in extras() for name in extra.pages]


def _extra_folders() -> list[Path]:
    return list(dict.fromkeys(Path(page.__file__ or "").with_name("html") for page in extra_pages()))


@cache
def _templates() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader([HERE / "templates", *_extra_folders()]),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        finalize=finalize,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    environment.filters |= {
        "bytes": human_bytes,
        "count": human_count,
        "dollars": human_dollars,
        "span": human_span,
        "tokens": human_tokens,
        "seconds": lambda day: int(dt.datetime.fromisoformat(day).replace(tzinfo=dt.UTC).timestamp()),
        "quoted": lambda text: quote(str(text), safe=""),
        "short_repo": lambda repo: str(repo).rpartition("/")[2],
        "marked": _mark,
        "prose": prose,
        "setting": _setting,
        "shell": shlex.quote,
        "pretty": lambda value: json.dumps(value, indent=2, ensure_ascii=False, default=str),
    }
    environment.globals |= {"session_path": session_path, "with_fields": with_fields, "FAILURE": Outcome.FAILURE}
    return environment


class CellLink(NamedTuple):
    """A value that leads somewhere."""

    text: str
    path: str


class ShownTable(NamedTuple):
    """A table of plain values; those of a column that ends in # are numbers."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]
    nothing: str = "Nothing yet."


MORE = CellLink("More", "/more")


def tables_page(
    ask: Ask,
    title: str,
    words: str,
    tables: Sequence[ShownTable],
    note: str = "",
    crumbs: Sequence[CellLink] = (MORE,),
) -> WebAnswer:
    """A page of one or more tables. `crumbs` are the pages above it."""
    return render(ask, "tables.html", title=title, words=words, tables=tables, note=note, crumbs=crumbs)
