"""The words of items: sentences of a bounded length, with foreign text in them quoted and harmless.

`quoted` puts a command, a path or a message between backticks: one line, nothing invisible, no backtick inside, home
folders shortened to `~`. A text that needs a value which was taken out cannot be quoted, and gives "": whoever gets
that drafts nothing. `sentence` brings a finished text into one line. Of parts that may be missing (`fitted`), what does
not fit is left out whole. What is said is up to the harvesters.
"""

from collections.abc import Iterable

from afterwit.model.knowledge import SENTENCE_LIMIT
from afterwit.model.text import regex
from afterwit.redaction.hygiene import clean
from afterwit.redaction.markers import PLACEHOLDER
from afterwit.redaction.plain_names import is_plain_name

_PATH_CHARS = 120
_HOME = regex(
    rf"(?<![\w.~])(?:/(?:Users|home|var/home)/|[A-Za-z]:[\\/]Users[\\/])(?:{PLACEHOLDER.pattern}|[^\s/\\'\"`:;,)‹]+)"
)
_ROOT_HOME = regex(r"(?<![\w./~])/root(?=/)")
_BLANKS = regex(r"\s+")
_CUT = "…"


def quoted(text: str, limit: int = 80) -> str:
    """The text between backticks, at most `limit` characters of it; "" where nothing is left that can be shown."""
    line = plain(text)
    if not line:
        return ""
    return f"`{line if len(line) <= limit else line[: limit - 1].rstrip() + _CUT}`"


def plain(text: str) -> str:
    """The text in one clean line, without home folders and backticks; "" where it holds a placeholder."""
    line = _BLANKS.sub(" ", clean(text)).strip().replace("`", "'")
    line = _ROOT_HOME.sub("~", _HOME.sub("~", line))
    return "" if PLACEHOLDER.search(line) else line


def sentence(text: str) -> str:
    """The text in one line. It is never cut: what is longer than a note may be is refused by the gate."""
    return _BLANKS.sub(" ", text).strip()


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
