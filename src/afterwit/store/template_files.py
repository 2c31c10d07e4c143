"""The templates of a store: one readable file each in a folder of their own, and a line for every use.

The files are the truth. Nothing is derived from them and they are derived from nothing, so a rebuild of the database
leaves them alone, and a copy of the folder is a backup of them. They are written whole or not at all, private to the
user. A file that somebody has broken is told of by its name; the others are read all the same.
"""

import os
import re
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import msgspec

from afterwit.model.errors import StoreError
from afterwit.model.templates import TEMPLATE_FORMAT, Template, TemplateUse
from afterwit.store.atomic import PRIVATE, replace_file
from afterwit.store.layout import Layout
from afterwit.store.regular_files import read_regular
from afterwit.store.rows.erased import session_key

MOST_BYTES = 1_000_000
_USES = "uses.jsonl"
_SUFFIX = ".json"


class StoredTemplates(NamedTuple):
    """What the folder holds: templates by id, and what is wrong with files that are none."""

    templates: tuple[Template, ...]
    problems: tuple[str, ...] = ()


def read_templates(layout: Layout) -> StoredTemplates:
    templates, problems = [], []
    for path in sorted(layout.templates.glob(f"*{_SUFFIX}")):
        if path.name.startswith("."):
            continue
        try:
            template = template_in(read_template(path), str(path))
            if template.id != path.stem:
                raise StoreError(f"{path} says that it is the template {template.id}. Rename it to {template.id}.json.")
            templates.append(template)
        except StoreError as error:
            problems.append(str(error))
    return StoredTemplates(tuple(templates), tuple(problems))


def read_template(path: Path) -> bytes:
    """The bytes of a file that should be a template."""
    try:
        content = read_regular(path, MOST_BYTES + 1)
    except OSError as error:
        raise StoreError(f"{path} cannot be read: {error.strerror or error}. Name a template's file.") from error
    if len(content) > MOST_BYTES:
        raise StoreError(f"{path} is larger than {MOST_BYTES // 1_000_000} MB, and no template is. Name another file.")
    return content


def template_in(content: bytes, where: str) -> Template:
    """The template in these bytes; `where` names the file in complaints."""
    try:
        template = msgspec.json.decode(content, type=Template)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise StoreError(f"{where} is no template: {error}. `afterwit templates export` writes one.") from error
    if template.format != TEMPLATE_FORMAT:
        raise StoreError(f"{where} has the format {template.format}; this afterwit knows {TEMPLATE_FORMAT}. Upgrade.")
    return template


def template_bytes(template: Template) -> bytes:
    """A template as its file holds it."""
    return msgspec.json.format(msgspec.json.encode(template), indent=2) + b"\n"


def put_template(layout: Layout, template: Template) -> Path:
    layout.templates.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = _path(layout, template.id)
    replace_file(path, template_bytes(template))
    return path


def delete_template(layout: Layout, name: str) -> None:
    _path(layout, name).unlink(missing_ok=True)


def note_use(layout: Layout, use: TemplateUse) -> None:
    """Adds a line. Lines of several processes do not mix: each is one short write at the end. A pipe in its place is
    an error, not a wait."""
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NONBLOCK", 0)
    handle = os.open(layout.templates / _USES, flags, PRIVATE)
    try:
        os.write(handle, msgspec.json.encode(use) + b"\n")
    finally:
        os.close(handle)


def template_uses(layout: Layout) -> list[TemplateUse]:
    """All uses that can be read; a line that was cut off is none."""
    try:
        lines = read_regular(layout.templates / _USES).splitlines()
    except OSError:
        return []
    uses = []
    for line in lines:
        with suppress(msgspec.MsgspecError, UnicodeDecodeError):
            uses.append(msgspec.json.decode(line, type=TemplateUse))
    return uses


def templates_of(layout: Layout, keys: Iterable[bytes]) -> list[Path]:
    """The files of these sessions, each given as its key; of files that are broken, those that may be of one."""
    wanted = frozenset(keys)
    paths = []
    for path in sorted(layout.templates.glob(f"*{_SUFFIX}")):
        try:
            source = template_in(read_template(path), str(path)).source
            whose = (source.agent, source.session)
        except StoreError:
            whose = _owner_in(path)
        if not all(whose) or session_key(*whose) in wanted:
            paths.append(path)
    return paths


def _owner_in(path: Path) -> tuple[str, str]:
    """The agent and the session that a broken file names, as far as it does."""
    try:
        text = read_regular(path, MOST_BYTES).decode("utf-8", "replace")
    except OSError:
        return "", ""
    agent, session = (re.search(rf'"{name}":\s*"([^"]*)"', text) for name in ("agent", "session"))
    return agent[1] if agent else "", session[1] if session else ""


def _path(layout: Layout, name: str) -> Path:
    return layout.templates / f"{name}{_SUFFIX}"
