"""The pages: links lead somewhere, commands exist, and nothing of the machine they were written on is in them."""

import re
from pathlib import Path

import click
from tests.every import for_every

from afterwit.cli.main import afterwit

ROOT = Path(__file__).parents[2]
PAGES = sorted([ROOT / "README.md", ROOT / "CHANGELOG.md", *(ROOT / "docs").rglob("*.md")])
LINK = re.compile(r"\[[^\]\n]*(?:\n[^\]\n]*)?\]\(([^)\s]+)\)")
CODE = re.compile(r"^```[a-z]*\n(.*?)^```$|`([^`\n]+)`", re.MULTILINE | re.DOTALL)
BY_ITSELF = {"brief": "show", "checks": "list"}  # what a group of commands does that is called without one
CALL = re.compile(r'(?:^|\$ |-> )\s*afterwit((?: +(?:"[^"\n]*"|[^\s|;#>]+))*)', re.MULTILINE)

each_page = for_every("page", PAGES)


def anchors(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def calls(text: str) -> list[list[str]]:
    """The arguments of every call of the command that stands in code."""
    codes = ("".join(found) for found in CODE.findall(text))
    return [re.findall(r'"[^"]*"|\S+', found) for code in codes for found in CALL.findall(code)]


def fault(arguments: list[str]) -> str:
    """What is wrong with a call; "" if nothing is."""
    command: click.Command = afterwit
    context = click.Context(afterwit, **afterwit.context_settings)
    rest = list(arguments)
    while rest and isinstance(command, click.Group) and not rest[0].startswith(("-", "[")):
        found = command.get_command(context, rest[0])
        if found is None:
            return f"there is no command {rest[0]!r}"
        command, context = found, click.Context(found, parent=context, **afterwit.context_settings)
        rest.pop(0)
        if isinstance(command, click.Group) and command.name in BY_ITSELF and not command.commands.keys() & {*rest[:1]}:
            rest.insert(0, BY_ITSELF[command.name])
    options = {name for option in command.get_params(context) for name in option.opts}
    unknown = [word for word in rest if word.startswith("-") and word not in options]
    return f"{command.name} has no option {unknown[0]}" if unknown else ""


@each_page
def test_links_lead_somewhere(page: Path) -> None:
    for target in LINK.findall(page.read_text(encoding="utf-8")):
        if "://" in target:
            continue
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        assert file.is_file(), target
        assert not anchor or anchor in anchors(file), target


@each_page
def test_commands_and_options_in_code_exist(page: Path) -> None:
    found = calls(page.read_text(encoding="utf-8"))
    assert [(call, fault(call)) for call in found if fault(call)] == []


@each_page
def test_no_path_of_a_machine_is_in_the_pages(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert re.findall(r"(?<![\w.~])/(?:work|root|tmp|Users|home(?!/‹)|private|mnt)/\S*", text) == []


def test_every_page_can_be_reached_from_the_readme() -> None:
    reached: set[Path] = set()
    waiting = [ROOT / "README.md"]
    while waiting:
        page = waiting.pop()
        if page not in reached and page.suffix == ".md":
            reached.add(page)
            targets = (target.partition("#")[0] for target in LINK.findall(page.read_text(encoding="utf-8")))
            waiting.extend((page.parent / target).resolve() for target in targets if target and "://" not in target)
    parts = {page for page in PAGES if page.parent.name == "parts"}
    assert set(PAGES) - reached - parts == set()


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 120


def test_calls_are_found_and_judged() -> None:
    found = calls("`afterwit lern`, and\n```\n$ afterwit store stat --jsn | head\nafterwit learn\n```\n")
    assert [fault(call) for call in found] == ["there is no command 'lern'", "stat has no option --jsn", ""]


def test_every_json_shape_is_described() -> None:
    text = (ROOT / "docs" / "reference" / "json-shapes.md").read_text(encoding="utf-8")
    context = click.Context(afterwit, info_name="afterwit", **afterwit.context_settings)
    with_json = [name for name, command in leaves(afterwit, context, "afterwit") if has_json(command)]
    assert [name for name in with_json if f"## {name}\n" not in text] == []


def leaves(command: click.Command, context: click.Context, name: str) -> list[tuple[str, click.Command]]:
    if not isinstance(command, click.Group):
        return [(name, command)]
    children = [(child, command.get_command(context, child)) for child in command.list_commands(context)]
    return [leaf for child, found in children if found for leaf in leaves(found, context, f"{name} {child}")]


def has_json(command: click.Command) -> bool:
    return any("--json" in option.opts for option in command.params)


def test_no_setting_is_said_to_be_without_use() -> None:
    assert "not used yet" not in (ROOT / "docs/reference/configuration.md").read_text(encoding="utf-8")
