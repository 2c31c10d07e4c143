"""How files and repositories are named in sentences, and how many of them fit into one.

A sentence that names files is never cut inside: what does not fit is left out whole. Names that could be sentences are
not named.
"""

from collections.abc import Iterable

from afterwit.guard.plain_names import is_plain_name
from afterwit.harvest.wording import quoted, sentence
from afterwit.model.knowledge import SENTENCE_LIMIT

_PATH_CHARS = 120


def shown(path: str) -> str:
    """A path, quoted. Whoever names it has seen that it is a plain one."""
    return quoted(path, _PATH_CHARS)


def shown_repo(repo: str) -> str:
    """The name of a repository without host and owner, quoted; where it is no plain name, words of ours."""
    name = repo.rpartition("/")[2]
    return quoted(name) if is_plain_name(name) and quoted(name) else "this repository"


def fitted(begin: str, further: Iterable[str], ending: str = "") -> str:
    """A sentence of a beginning, of as many further parts as fit, and of the ending if that fits."""
    text = begin
    ending = ending if len(begin) + len(ending) < SENTENCE_LIMIT else ""
    for part in further:
        if len(text) + len(part) + len(ending) >= SENTENCE_LIMIT:
            break
        text += part
    return sentence(f"{text}{ending}.")
