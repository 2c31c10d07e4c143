"""The three repositories of the demo: enough of each for the stories to have happened there."""

from pathlib import PurePosixPath
from typing import NamedTuple

from afterwit.demo import almanac, harbour, orchard


class Repo(NamedTuple):
    name: str
    remote: str  # "" for one that was never pushed
    files: dict[str, str]


REPOS = (
    Repo(
        orchard.REPO,
        "git@github.com:acme/orchard.git",
        {
            "README.md": "# orchard\n\nKeeps book of trees. Tests: `uv run pytest`.\n",
            "pyproject.toml": '[project]\nname = "orchard"\nversion = "0.4"\n\n[tool.ruff.lint]\nselect = ["DTZ"]\n',
            "src/orchard/harvest.py": orchard.HARVEST_CODE,
            "tests/test_harvest.py": "def test_nothing() -> None: ...\n",
        },
    ),
    Repo(
        harbour.REPO,
        "https://github.com/acme/harbour.git",
        {
            "README.md": "# harbour\n\nBerths and boats. Tests: `pnpm test`.\n",
            "package.json": '{\n  "name": "harbour",\n  "packageManager": "pnpm@10.2.0"\n}\n',
            "openapi.yaml": "openapi: 3.1.0\npaths: {}\n",
            "src/routes/berths.ts": harbour.ROUTES_CODE,
        },
    ),
    Repo(
        almanac.REPO,
        "",
        {"mkdocs.yml": "site_name: Almanac\nstrict: true\n", "docs/moon.md": almanac.MOON},
    ),
)


def files(repo: Repo) -> dict[PurePosixPath, bytes]:
    """The checkout, with just enough of `.git` to be one."""
    config = "[core]\n\trepositoryformatversion = 0\n"
    if repo.remote:
        config += f'[remote "origin"]\n\turl = {repo.remote}\n'
    git = {".git/HEAD": "ref: refs/heads/main\n", ".git/config": config, ".git/objects/info/packs": "\n"}
    return {PurePosixPath(path): text.encode() for path, text in {**repo.files, **git}.items()}
