"""Everything that users read uses the words of `docs/reference/vocabulary.md`, and none that the page replaces.

Looked at are the help of all commands with their options, texts in `cli`, headings of tables, messages of all rooms,
what agents are told, and the pages for users. What stands between backticks is code and may be called as files and JSON
call it.
"""

import ast
import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import click
from tests.source_trees import parsed, texts

from afterwit.cli.commands import CliCommand, LazyGroup
from afterwit.cli.main import afterwit

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "afterwit"
PAGE = ROOT / "docs" / "reference" / "vocabulary.md"
FOR_MAKERS = frozenset(("architecture.md", "modules.md", "benchmarks.md", "dependencies.md", "vocabulary.md"))
SAYING = frozenset(
    ("ours", "talk", "print_line", "print_text", "alarm", "warning", "StoreFault", "text", "choice", "texts")
)
SPEAKING = (
    "cli/",
    "mcp/server.py",
    "measure/report.py",
    "measure/words.py",
    "recall/brief_block.py",
    "recall/prompt_block.py",
)  # what these modules keep is said
# of these rooms users read only errors
NOT_SAID = ("actions/", "agents/", "extras/demo/", "harvest/", "model/text/", "redaction/")
ALLOWED = {
    "fact": (
        (
            r"\bfact, pitfall|category is fact|Default: fact\.|\| fact \|",
            "a category of notes has this name, in JSON too",
        ),
        (r"facts about (?:the session|your set-up)|as the fact\.", "the everyday word, and no note is meant"),
        (r"\bfacts type==|or time=FIELD", "a word of descriptions of logs"),
    ),
    "item": ((r"explain_item|report_item|bare items", "names of tools, and of records in logs of an agent"),),
    "alias": ((r"aliases and merges", "the table of the configuration that the page describes"),),
}


class Word(NamedTuple):
    """A row of the page."""

    word: str
    replaced: tuple[str, ...]


class Said(NamedTuple):
    where: str
    text: str


def words() -> list[Word]:
    rows = [
        line.strip("|").split("|") for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| ")
    ]
    cells = [[cell.strip() for cell in row] for row in rows if not row[0].startswith((" word", " ---"))]
    return [Word(row[0], tuple(filter(None, map(str.strip, row[4].split(","))))) for row in cells]


def prose(text: str) -> str:
    """Without code and without the targets of links."""
    return re.sub(r"```.*?```|`[^`\n]*`|\]\([^)\s]*\)|<!--.*?-->", " ", text, flags=re.DOTALL)


def helps(command: click.Command, path: str) -> Iterator[Said]:
    yield Said(path, command.help or "")
    if isinstance(command, CliCommand):
        yield from (Said(path, meaning) for meaning in command.exits.values())
    for parameter in command.params:
        names = parameter.opts if isinstance(parameter, click.Option) else []
        yield Said(path, f"{parameter.metavar or ''} {' '.join(names)} {getattr(parameter, 'help', '') or ''}")
    if isinstance(command, LazyGroup):
        context = click.Context(command)
        yield Said(path, command.get_help(context))
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield from helps(below, f"{path} {name}")


def literals(node: ast.AST) -> Iterator[str]:
    """The texts in a piece of code, those of formatted ones whole."""
    if isinstance(node, ast.JoinedStr):
        yield "".join(str(part.value) if isinstance(part, ast.Constant) else "…" for part in node.values)
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    else:
        for child in ast.iter_child_nodes(node):
            yield from literals(child)


def called(node: ast.AST) -> str:
    function = node.func if isinstance(node, ast.Call) else None
    return (
        function.id if isinstance(function, ast.Name) else function.attr if isinstance(function, ast.Attribute) else ""
    )


def messages(where: str) -> Iterator[Said]:
    """What a module says: in errors, and where it hands texts to those who show them."""
    for node in ast.walk(parsed(where)):
        if called(node) in ("Column", "human_count"):
            yield from (Said(where, text) for text in literals(node))
        is_said = isinstance(node, ast.Raise) or (not where.startswith(NOT_SAID) and called(node) in SAYING)
        is_kept = where.startswith(SPEAKING) and isinstance(node, (ast.Assign, ast.Return, ast.Yield))
        if is_said or is_kept:
            yield from (Said(where, text) for text in literals(node) if " " in text.strip())


def pages() -> Iterator[Said]:
    docs = ROOT / "docs"
    found = [ROOT / "README.md", docs / "tutorial.md", docs / "index.md"]
    for folder in ("how-to", "explanation", "reference"):
        found += sorted((docs / folder).glob("*.md"))
    for path in found:
        if path.name not in FOR_MAKERS:
            text = path.read_text(encoding="utf-8")
            before_decisions = text.partition("**Why it is as it is**")[0]  # titles of pages for makers
            yield Said(str(path.relative_to(ROOT)), prose(before_decisions))


def described(shape: object) -> Iterator[str]:
    """What a model reads of a tool and its parameters, without their names."""
    if isinstance(shape, dict):
        yield from (shape[key] for key in ("title", "description") if isinstance(shape.get(key), str))
    for below in shape.values() if isinstance(shape, dict) else shape if isinstance(shape, list) else ():
        yield from described(below)


@cache
def everything() -> list[Said]:
    tools = json.loads((SOURCE / "mcp" / "tools.json").read_text(encoding="utf-8"))
    return [
        *(Said(said.where, prose(said.text)) for said in helps(afterwit, "afterwit")),
        *(Said(said.where, prose(said.text)) for file in texts() for said in messages(file)),
        *(Said("mcp/tools.json", prose(text)) for text in described(tools)),
        *pages(),
    ]


def unfit(said: Said, replaced: str) -> list[str]:
    """The places where a replaced word stands, with what is around it."""
    exceptions = [re.compile(pattern) for pattern, _ in ALLOWED.get(replaced, ())]
    around = []
    text = " ".join(said.text.split())
    for hit in re.finditer(rf"(?<![\w./-]){re.escape(replaced)}s?(?![\w./-]*[\w])", text, re.IGNORECASE):
        context = text[max(0, hit.start() - 40) : hit.end() + 40]
        if not any(pattern.search(context) for pattern in exceptions):
            around.append(f"{said.where}: …{context}…")
    return around


def test_no_text_uses_a_word_that_the_page_replaces() -> None:
    replaced = [old for word in words() for old in word.replaced]
    assert {"story", "item", "candidate", "scope", "harvester", "lease", "player"} <= set(replaced)
    found = [f"{old}: {place}" for old in replaced for said in everything() for place in unfit(said, old)]
    assert not found, "\n".join(found)


def test_every_word_of_the_page_is_used() -> None:
    spoken = " ".join(" ".join(said.text.split()) for said in everything()).lower()
    unused = [word.word for word in words() if prose(word.word).strip().lower() not in spoken]
    assert unused == []


def test_a_replaced_word_is_found_where_it_stands() -> None:
    assert unfit(Said("here", "Only Items of this status."), "item")
    assert unfit(Said("here", "What a start\nblock holds."), "start block")
    assert unfit(Said("here", prose("Its scope is global.")), "scope")
    assert not unfit(Said("here", prose("Its `scope` is global, in index.json/item-list.")), "scope")
    assert not unfit(Said("here", "Only this category (fact, pitfall, pattern)."), "fact")
