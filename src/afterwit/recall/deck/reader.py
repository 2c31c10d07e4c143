"""The deck, as a hook reads it.

Opened immutable: no lock is taken and nothing is written, so that a hook neither waits for a `learn` nor disturbs one.
Whoever opened an old deck keeps reading it after a new one took its place. A deck of another version is like none.

The words by which a deck is looked up: quick to tell, and never missing what the exact comparison would find.

The exact questions (which signature does this failure have, does this command line match) need modules that take a hook
longer to load than everything else together. So the deck keeps, for each trigger, words that must occur wherever it
fires. Only where all of them occur is the exact question asked. Too few words cost time; a word that need not occur
would cost a hit, so what a signature rewrites or masks is left out. No regular expressions and no enumerations here,
for the same reason.
"""

import apsw

from afterwit.guard.shown import Shown, of_deck
from afterwit.model.quick_json import dumps, loads

_LONGEST_SIGNATURE = 120  # characters of a template; a longer one was cut, perhaps within a word


_REWRITTEN = ("command not found: ",)  # several wordings are brought to this one


_INVENTED = ("tests fail", "build fails")  # stand for no words of the output


_KINDS = ("shell", "read", "edit", "write", "search", "web", "mcp", "skill", "delegate", "plan", "other")


_PLAIN = {code: " " for code in range(128) if not chr(code).isalnum()}


_DIGITS = "0123456789."


VERSION = 1


class Line:
    """One item, rendered."""

    __slots__ = ("advice", "authority", "confidence", "item", "number", "place", "replaces", "text")

    def __init__(
        self,
        item: str,
        text: Shown,
        authority: str,
        advice: str,
        confidence: float,
        place: int = 0,
        number: int = 0,
        replaces: str = "",
    ) -> None:
        self.item = item
        self.text = text
        self.authority = authority
        self.advice = advice
        self.confidence = confidence
        self.place = place  # how narrow its scope is: 0 for the repository, 1 for the agent, 2 for everywhere
        self.number = number  # its place in the order in which items are said
        self.replaces = replaces  # the very command line for which the advice may be put, once it is known

    def told(self, text: Shown, advice: str, replaces: str) -> "Line":
        """The same item in other words."""
        return Line(self.item, text, self.authority, advice, self.confidence, self.place, self.number, replaces)


class Trigger:
    """What makes a line fire; all that is set must match."""

    __slots__ = ("path", "program", "rule", "signature", "tool", "words")

    def __init__(self, program: str, words: str, signature: str, tool: str, path: str, rule: str) -> None:
        self.program = program
        self.words = texts_in(words)
        self.signature = signature
        self.tool = tool
        self.path = path
        self.rule = rule


class Deck:
    """An open deck."""

    def __init__(self, path: str) -> None:
        address = "file:" + path.replace("%", "%25").replace("?", "%3f").replace("#", "%23") + "?immutable=1"
        self._db = apsw.Connection(address, flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)
        if self._db.pragma("user_version") != VERSION:
            raise ValueError("the deck was made by another version")
        self.settings: dict[str, object] = dict(self._db.execute("SELECT name, value FROM settings"))

    def share(self, name: str) -> float:
        value = self.settings.get(name)
        return float(value) if isinstance(value, int | float) else 0.0

    def text(self, name: str) -> str:
        value = self.settings.get(name)
        return value if isinstance(value, str) else ""

    def names(self, name: str) -> list[str]:
        return texts_in(self.text(name))

    def key(self) -> bytes:
        value = self.settings.get("key")
        return value if isinstance(value, bytes) else b""

    def repo_at(self, folders: list[str]) -> tuple[str, str]:
        """(repository, folder) of the first of these folders that is known."""
        query = """SELECT roots.repo, roots.folder FROM json_each(?) AS given JOIN roots ON roots.folder = given.value
                   ORDER BY given.key LIMIT 1"""
        row = self._db.execute(query, (dumps(folders),)).fetchone()
        return (row[0], row[1]) if row else ("", "")

    def repo_of(self, remote: str) -> str:
        row = self._db.execute("SELECT repo FROM remotes WHERE remote = ?", (remote,)).fetchone()
        return str(row[0]) if row else ""

    def block(self, repo: str, agent: str) -> list[object]:
        """The sections of the start block that fits best."""
        query = """SELECT body FROM blocks WHERE repo IN (?1, '') AND agent IN (?2, '')
                   ORDER BY repo = ?1 DESC, agent = ?2 DESC LIMIT 1"""
        row = self._db.execute(query, (repo, agent)).fetchone()
        body = loads(row[0]) if row else []
        return body if isinstance(body, list) else []

    def lines(self, moment: str, words: set[str], repo: str, agent: str) -> list[tuple[Trigger, Line]]:
        """Lines that may fire in this place: all words that they need occur. The narrowest scope comes first, then
        what is said first."""
        query = """SELECT keys.needs, triggers.program, triggers.words, triggers.signature, triggers.tool,
                       triggers.path, triggers.rule, lines.item, lines.text, lines.authority, lines.advice,
                       lines.confidence,
                       CASE lines.scope WHEN 'repo' THEN 0 WHEN 'agent' THEN 1 ELSE 2 END AS narrowness, lines.id
                   FROM json_each(:words) AS given
                   CROSS JOIN keys ON keys.moment = :moment AND keys.word = given.value
                   CROSS JOIN triggers ON triggers.id = keys.trigger
                   CROSS JOIN lines ON lines.id = triggers.line
                   WHERE (lines.scope = 'global' OR (lines.scope = 'repo' AND lines.place = :repo)
                       OR (lines.scope = 'agent' AND lines.place = :agent))
                       AND (lines.agents = '' OR instr(lines.agents, ' ' || :agent || ' '))
                   ORDER BY narrowness, lines.id"""
        values = {"words": dumps([*words, ""]), "moment": moment, "repo": repo, "agent": agent}
        rows = self._db.execute(query, values)
        return [
            (Trigger(*row[1:7]), Line(row[7], of_deck(row[8]), *row[9:]))
            for row in rows
            if words.issuperset(row[0].split())
        ]

    def tables(self) -> apsw.Connection:
        """Where what a first prompt asks for is read; see `recall.deck.prompt_tables`."""
        return self._db

    def index(self, repo: str, name: str) -> bytes:
        """Prepared data for the first prompt; b"" where there is none."""
        row = self._db.execute("SELECT body FROM indexes WHERE repo = ? AND name = ?", (repo, name)).fetchone()
        return bytes(row[0]) if row else b""


def texts_in(body: str) -> list[str]:
    """The texts of a JSON list."""
    value = loads(body) if body else []
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []


def words_in(text: str) -> set[str]:
    """All words of a text, in lower case."""
    return set(text.translate(_PLAIN).lower().split())


def words_called(command: str) -> set[str]:
    """The words of a command line; `python3` also counts as `python`."""
    found = words_in(command)
    return found | {word.rstrip(_DIGITS) for word in found}


def needed_by_signature(signature: str) -> set[str]:
    """Words that occur in the command line or in the output of every failure with this signature."""
    head, _, template = signature.partition(": ")
    needed = set() if head in _KINDS else words_in(head)
    if template in _INVENTED:
        return needed
    for rewritten in _REWRITTEN:
        template = template.removeprefix(rewritten)
    chunks = template.split()
    if len(template) >= _LONGEST_SIGNATURE:
        chunks = chunks[:-1]
    return needed.union(*(words_in(chunk) for chunk in chunks if not _is_masked(chunk))) - {"rules"}


def needed_by_path(pattern: str) -> set[str]:
    """Words that occur in every path that this pattern fits."""
    return set().union(*(words_in(part) for part in pattern.split("/") if not set(part) & set("*?[\\")))


def _is_masked(chunk: str) -> bool:
    return "<" in chunk or ">" in chunk or "\0" in chunk
