"""Templates written by hand."""

from typing import Any

from afterwit.model.kinds import ActionKind, TaskType
from afterwit.model.templates import Template, TemplateSource, ToolExample


def example(tool: str, kind: ActionKind, target: str, result: str = "fine", **arguments: Any) -> ToolExample:
    return ToolExample(tool=tool, kind=kind, target=target, arguments=arguments, result=result)


EXAMPLES = (
    example("Read", ActionKind.READ, "src/prune.py", "def prune(): ...", file_path="src/prune.py"),
    example("Edit", ActionKind.EDIT, "src/prune.py", "", file_path="src/prune.py", old_string="a", new_string="b"),
    example("Bash", ActionKind.SHELL, "pytest -q", "4 passed", command="pytest -q"),
)


def sample(name: str = "0a1b2c3d", **fields: Any) -> Template:
    source = TemplateSource(agent="claude-code", session="good", repo="github.com/acme/orchard", day="2026-05-01")
    whole: dict[str, Any] = {
        "id": name,
        "type": TaskType.CODE,
        "description": "Prune in winter",
        "task": "Prune the trees in winter only",
        "source": source,
        "created_at": "2026-05-01T10:00:00.000Z",
        "examples": EXAMPLES,
    }
    return Template(**(whole | fields))
