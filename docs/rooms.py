"""The map of the source, drawn from the source: which packages there are, in which order, and what each module is for.

Pages made of it cannot go stale: `generate.py --check` compares them, and a name of a function in the architecture page
that does not exist is an error.
"""

import ast
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

_ROOT = Path(__file__).parent.parent
_SOURCE = _ROOT / "src" / "afterwit"
_TIERS = {  # by the highest room of each
    "extras": "extras",
    "cli": "surface",
    "connect": "deliver",
    "reader": "learn",
    "store": "store",
    "repos": "base",
}
_NAMED = re.compile(r"`([a-z_]+(?:\.\w+)+)`")


def rooms() -> list[str]:
    """The packages right below the root, from the top layer down."""
    settings = tomllib.loads((_ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    layers = next(contract for contract in contracts if contract["type"] == "layers")["layers"]
    return [room for layer in layers for room in layer.split(" | ")]


def tier(room: str) -> str:
    """The tier that begins with this room; "" for those below it in the same tier."""
    return _TIERS.get(room, "")


def extras() -> list[str]:
    """The extras, by their names below `extras`. Those of the lab are several."""
    below = _SOURCE / "extras"
    folders = [
        path.parent.relative_to(below) for pattern in ("*", "lab/*") for path in below.glob(f"{pattern}/__init__.py")
    ]
    return sorted(".".join(folder.parts) for folder in folders if folder.name != "lab")


def purpose(room: str) -> list[str]:
    """What the package says of itself, paragraph by paragraph: what it is for, then its doors."""
    path = _SOURCE.joinpath(*room.split("."), "__init__.py")
    text = ast.get_docstring(_tree(path)) or ""
    if not text:
        raise SystemExit(f"{path.relative_to(_ROOT)} does not say what the package is for")
    return [" ".join(paragraph.split()) for paragraph in text.split("\n\n")]


def imports(room: str) -> list[str]:
    """The packages that this one uses, from the top layer down."""
    used = set()
    for module in _SOURCE.joinpath(*room.split(".")).rglob("*.py"):
        for node in ast.walk(_tree(module)):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("afterwit."):
                used.add((node.module or "").split(".")[1])
    return [other for other in rooms() if other in used and other != room]


def modules(room: str) -> Iterator[tuple[str, str]]:
    """The modules of a package with the first sentence of each, subpackages included."""
    for path in sorted((_SOURCE / room).rglob("*.py")):
        if path.stem != "__init__":
            text = ast.get_docstring(_tree(path)) or ""
            first = " ".join(text.split("\n\n")[0].split())
            yield ".".join(path.relative_to(_SOURCE).with_suffix("").parts), first


def check_names(page: str, text: str) -> None:
    """Every `room.module.function` in a page exists, or the page is refused."""
    names = rooms()
    missing = [name for name in _NAMED.findall(text) if name.split(".")[0] in names and not _exists(name)]
    if missing:
        raise SystemExit(f"{page} names what is not there: {', '.join(sorted(set(missing)))}")


def _exists(name: str) -> bool:
    parts = name.split(".")
    for count in range(len(parts), 0, -1):
        place = _SOURCE.joinpath(*parts[:count])
        for path in (place.with_suffix(".py"), place / "__init__.py"):
            if path.is_file():
                return _defines(_tree(path), parts[count:])
    return False


def _defines(tree: ast.AST, names: list[str]) -> bool:
    if not names:
        return True
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == names[0]:
            return _defines(node, names[1:])
        targets = (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        )
        if any(isinstance(target, ast.Name) and target.id == names[0] for target in targets):
            return len(names) == 1
    return False


@cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))
