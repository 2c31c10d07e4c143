"""Which files a session read and changed, as paths below its repository."""

import re

_WORKTREE = re.compile(r"[/\\]\.?(?:claude[/\\])?worktrees?[/\\][^/\\]+")
_SHOWN = re.compile(
    r"(?:^|[;&|(\n][^\S\n]*)(?:cat|nl(?: -\w+)*|bat|less|head(?: -n? ?\d+)?|tail(?: -n? ?\d+)?"
    r"|sed -n (?:'[^'\n]{1,40}'|\"[^\"\n]{1,40}\"))"
    r"\s+(?P<paths>[^;&|<>\n]{1,600})"
)
_NAME = re.compile(r"(?:[\w.@+-]+/)*[\w@+-][\w.@+-]*\.\w{1,8}\Z|[\w./@+-]*/(?:Makefile|Dockerfile|LICENSE)\Z")


def below(path: str, cwd: str, root: str) -> str:
    """The path below the repository, with slashes; as it is where it lies elsewhere."""
    path = _WORKTREE.sub("", path).replace("\\", "/")
    for folder in (cwd, root):
        folder = _WORKTREE.sub("", folder).replace("\\", "/").rstrip("/")
        if folder and path.startswith(f"{folder}/"):
            return path[len(folder) + 1 :]
    return path.removeprefix("./")


def shown_by(command: str) -> list[str]:
    """Files that a command line prints, as it names them: `cat`, `sed -n`, `head` and the like."""
    found: dict[str, None] = {}
    for match in _SHOWN.finditer(command):
        for word in match["paths"].split():
            word = word.strip("'\"")
            if _NAME.match(word.removeprefix("/")):
                found[word] = None
    return list(found)
