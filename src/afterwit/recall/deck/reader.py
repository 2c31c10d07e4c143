"""The deck, as a hook reads it; `deck.sql`, `part.sql` and `lines.sql` have its tables, and the fields here are their
columns.

Opened immutable: no lock is taken and nothing is written, so that a hook neither waits for a `learn` nor disturbs one.
Whoever opened an old deck keeps reading it after a new one took its place. A deck of another version is like none. What
is said in one repository is in a part of its own, which is opened when it is asked for. A part that is gone belongs to
a deck that was replaced meanwhile: then the new one is asked. One that cannot be read is a fault, and else like none.

Triggers are found by words. The exact questions (which signature does this failure have, does this command line match)
need modules that take a hook longer to load than everything else together, so they are asked only where all words occur
that a trigger needs. No regular expressions and no enumerations here, for the same reason.
"""

import os

import apsw

from afterwit.model.quick_json import dumps, loads
from afterwit.redaction.accounts import is_person
from afterwit.redaction.shown import Shown, of_deck

# pathlib takes longer to load than all that is done here.
# ruff: noqa: PTH118, PTH119, PTH120

VERSION = 10
EXAMPLES = "examples"  # a setting: the worked examples of an experiment, by repository
SESSION, SUBAGENT, LOOKER = "session", "subagent", "looker"  # who is told a brief
PARTS = "deck"  # the folder of `store.layout.Layout.deck_parts`
REPO = "repo"  # names in the table `indexes` of a part
PLACES = "places"
CALL, FILE, RAN, TOUCHED, ASKS = "call", "file", "ran", "touched", "asks"  # when a check may matter
CHECKS = "checks"  # a setting: how many are on
CHECK_COLUMNS = ("id", "kind", "text", "wanted_by", "command", "other", "path", "pattern", "is_strict", "repo")
LINE_COLUMNS = ("item", "text", "authority", "advice", "confidence")
TRIGGER_COLUMNS = ("program", "words", "signature", "tool", "path", "rule", "activity", "lines")
_PLAIN = {code: " " for code in range(128) if not chr(code).isalnum()}
_DIGITS = "0123456789."
_COLUMNS = ", ".join((*(f"triggers.{name}" for name in TRIGGER_COLUMNS), *(f"lines.{name}" for name in LINE_COLUMNS)))
_CHECK = ", ".join(f"checks.{name}" for name in CHECK_COLUMNS)
_LINE_AT = 1 + len(TRIGGER_COLUMNS)
Lines = list[tuple[str, Shown]]  # of a block, each with the item that it tells


class DeckLine:
    """One item, rendered."""

    __slots__ = (*LINE_COLUMNS, "breadth", "number", "rank", "replaces")

    def __init__(
        self,
        item: str,
        text: Shown,
        authority: str,
        advice: str,
        confidence: float,
        breadth: int = 0,
        number: int = 0,
        rank: str = "",
        replaces: str = "",
    ) -> None:
        self.item = item
        self.text = text
        self.authority = authority
        self.advice = advice
        self.confidence = confidence
        self.breadth = breadth  # of its scope: 0 for the repository, 1 for the agent, 2 for everywhere
        self.number = number  # its place in the order in which items are said, among those of the same breadth
        self.rank = rank  # the same, among all
        self.replaces = replaces  # the very command line for which the advice may be put, once it is known

    def told(self, text: Shown, advice: str, replaces: str) -> "DeckLine":
        """The same item in other words."""
        place = (self.breadth, self.number, self.rank)
        return DeckLine(self.item, text, self.authority, advice, self.confidence, *place, replaces)


class DeckTrigger:
    """What makes a line fire; all that is set must match. A row of the table `triggers`."""

    __slots__ = TRIGGER_COLUMNS

    def __init__(
        self,
        program: str,
        words: str,
        signature: str,
        tool: str,
        path: str,
        rule: str,
        activity: str = "",
        lines: str = "",
    ) -> None:
        self.program = program
        self.words = texts_in(words)
        self.signature = signature
        self.tool = tool
        self.path = path
        self.rule = rule
        self.activity = activity
        self.lines = texts_in(lines)


class DeckCheck:
    """A check that is on. A row of the table `checks`."""

    __slots__ = CHECK_COLUMNS

    def __init__(
        self,
        id: str,  # noqa: A002 - the column
        kind: str,
        text: Shown,
        wanted_by: Shown,
        command: str,
        other: str,
        path: str,
        pattern: str,
        is_strict: int,
        repo: str,
    ) -> None:
        self.id = id
        self.kind = kind
        self.text = text
        self.wanted_by = wanted_by
        self.command = command
        self.other = other
        self.path = path
        self.pattern = pattern
        self.is_strict = bool(is_strict)
        self.repo = repo  # "": it holds everywhere


class Deck:
    """An open deck."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.faults: list[Exception] = []  # of parts that could not be read
        self.is_of_another = False
        self._parts: dict[str, apsw.Connection | None] = {}
        self._hushed: frozenset[str] = frozenset()
        self._db = _open_deck(path)
        self.settings: dict[str, object] = dict(self._db.execute("SELECT name, value FROM settings"))

    def listen(self, home: str) -> None:
        """Whoever listens has this home folder. If the deck was made for somebody else who can be told from them, what
        people said is left out of it."""
        name = os.path.basename(home)
        if is_person(name) and listener_mark(name, self.key()) not in self.names("listener"):
            self.is_of_another = True
            self._hushed = frozenset(row[0] for row in self._db.execute("SELECT item FROM personal"))

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

    def repo_of(self, keys: list[str]) -> str:
        """The repository that is recognised by the first of these keys that is known."""
        query = """SELECT remotes.repo FROM json_each(?) AS given JOIN remotes ON remotes.remote = given.value
                   ORDER BY given.key LIMIT 1"""
        row = self._db.execute(query, (dumps(keys),)).fetchone()
        return str(row[0]) if row else ""

    def tree_of(self, repo: str) -> str:
        """The name of the file with the words of a repository's files; "" where there is none."""
        row = self._db.execute("SELECT file FROM trees WHERE repo = ?", (repo,)).fetchone()
        return str(row[0]) if row else ""

    def knows_commits(self) -> bool:
        """Whether a repository is known by its first commit."""
        query = "SELECT 1 FROM remotes WHERE remote >= 'commit:' AND remote < 'commit;' LIMIT 1"
        return self._db.execute(query).fetchone() is not None

    def block(self, repo: str, agent: str, listener: str = SESSION) -> list[tuple[Shown, Lines]]:
        """The brief that fits best: headings, each with its lines. A heading without lines frames the others."""
        query = """SELECT body FROM blocks WHERE repo IN (?1, '') AND agent IN (?2, '') AND listener = ?3
                   ORDER BY repo = ?1 DESC, agent = ?2 DESC LIMIT 1"""
        row = self._db.execute(query, (repo, agent, listener)).fetchone()
        sections = [(of_deck(heading), _lines(entries)) for heading, entries in _pairs(row[0])] if row else []
        return [(heading, self._heard(lines)) for heading, lines in sections] if self._hushed else sections

    def thread(self, repo: str, branch: str = "", words: "frozenset[str] | set[str]" = frozenset()) -> Lines:
        """What is known of the work in progress on a branch, or of the one that these words name."""
        for own, names, body in self._db.execute("SELECT branch, names, body FROM threads WHERE repo = ?", (repo,)):
            groups = loads(names)
            is_named = isinstance(groups, list) and any(words.issuperset(group) for group in groups)
            if own == branch if branch else is_named:
                return self._heard(_lines(body))
        return []

    def _heard(self, lines: Lines) -> Lines:
        return [line for line in lines if line[0] not in self._hushed]

    def told_at_start(self) -> frozenset[str]:
        """The items of all briefs."""
        bodies = (_pairs(body) for (body,) in self._db.execute("SELECT body FROM blocks"))
        return frozenset(item for body in bodies for _, entries in body for item, _ in _lines(entries))

    def example(self, repo: str) -> tuple[str, Shown] | None:
        """The worked example for sessions there, with the name under which it is drawn."""
        for place, entry in _pairs(self.text(EXAMPLES) or "[]"):
            if place == repo:
                return next(iter(_lines([entry])), None)
        return None

    def lines(self, moment: str, words: set[str], repo: str, agent: str) -> list[tuple[DeckTrigger, DeckLine]]:
        """Lines that may fire in this place: all words that they need occur. The narrowest scope comes first, then
        what is said first."""
        query = f"""SELECT keys.needs, {_COLUMNS},
                       CASE lines.scope WHEN 'repo' THEN 0 WHEN 'agent' THEN 1 ELSE 2 END AS breadth, lines.id,
                       lines.rank
                   FROM json_each(:words) AS given
                   CROSS JOIN keys ON keys.moment = :moment AND keys.word = given.value
                   CROSS JOIN triggers ON triggers.id = keys.trigger
                   CROSS JOIN lines ON lines.id = triggers.line
                   WHERE (lines.scope <> 'agent' OR lines.place = :agent)
                       AND (lines.agents = '' OR instr(lines.agents, ' ' || :agent || ' '))
                       AND (lines.silent_in = '' OR NOT instr(lines.silent_in, ' ' || :repo || ' '))
                   ORDER BY breadth, lines.id"""  # noqa: S608
        values = {"words": dumps([*words, ""]), "moment": moment, "repo": repo, "agent": agent}
        return [
            (DeckTrigger(*row[1:_LINE_AT]), DeckLine(row[_LINE_AT], of_deck(row[_LINE_AT + 1]), *row[_LINE_AT + 2 :]))
            for db in (self.part(repo), self._db)
            if db is not None
            for row in db.execute(query, values)
            if words.issuperset(row[0].split()) and row[_LINE_AT] not in self._hushed
        ]

    def checks(self, moment: str, words: set[str], repo: str) -> list[DeckCheck]:
        """The checks that may matter at this moment in this repository: all words that they need occur."""
        query = f"""SELECT check_keys.needs, {_CHECK} FROM json_each(:words) AS given
                    CROSS JOIN check_keys ON check_keys.moment = :moment AND check_keys.word = given.value
                    CROSS JOIN checks ON checks.number = check_keys.number AND checks.repo IN (:repo, '')
                    ORDER BY checks.number"""  # noqa: S608
        rows = self._db.execute(query, {"words": dumps([*words, ""]), "moment": moment, "repo": repo})
        fitting = (row[1:] for row in rows if words.issuperset(row[0].split()))
        return [DeckCheck(own, kind, of_deck(text), of_deck(by), *rest) for own, kind, text, by, *rest in fitting]

    def texts(self, repo: str, agent: str) -> list[Shown]:
        """What the page and all lines say that hold in this place."""
        query = """SELECT item, text FROM lines WHERE (scope <> 'agent' OR place = ?2)
                       AND (agents = '' OR instr(agents, ' ' || ?2 || ' '))
                       AND (silent_in = '' OR NOT instr(silent_in, ' ' || ?1 || ' '))"""
        rows = (row for db in (self.part(repo), self._db) if db is not None for row in db.execute(query, (repo, agent)))
        told = [of_deck(text) for item, text in rows if item not in self._hushed]
        return [*told, *(text for _, lines in self.block(repo, agent) for _, text in lines)]

    def part(self, repo: str) -> apsw.Connection | None:
        """What the deck has of one repository alone; None where there is nothing that can be read."""
        if repo not in self._parts:
            try:
                self._parts[repo] = self._open_part(repo)
            except (apsw.Error, ValueError) as error:
                self._parts[repo] = None
                self.faults.append(error)
        return self._parts[repo]

    def _open_part(self, repo: str) -> apsw.Connection | None:
        path = self._part_path(repo)
        if path and not os.path.exists(path):  # noqa: PTH110
            self._db = _open_deck(self.path)
            path = self._part_path(repo)
        if not path:
            return None
        db = _open_deck(path)
        if index_in(db, REPO) != repo:
            raise ValueError("the prepared notes are of another repository")
        return db

    def _part_path(self, repo: str) -> str:
        row = self._db.execute("SELECT file FROM parts WHERE repo = ?", (repo,)).fetchone() if repo else None
        return os.path.join(os.path.dirname(self.path), PARTS, row[0]) if row else ""


def _open_deck(path: str) -> apsw.Connection:
    db = opened_immutable(path)
    if db.pragma("user_version") != VERSION:
        raise ValueError("the prepared notes were made by another version")
    return db


def opened_immutable(path: str) -> apsw.Connection:
    """A database that nobody changes."""
    address = "file:" + path.replace("%", "%25").replace("?", "%3f").replace("#", "%23") + "?immutable=1"
    return apsw.Connection(address, flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)


def index_in(part: apsw.Connection | None, name: str) -> object:
    """What a part has under this name in the table `indexes`; None where it has nothing."""
    row = part.execute("SELECT body FROM indexes WHERE name = ?", (name,)).fetchone() if part is not None else None
    return row[0] if row else None


def listener_mark(name: str, key: bytes) -> str:
    """What stands in a deck for the name of somebody that it is made for."""
    try:
        from _blake2 import blake2b
    except ImportError:
        from hashlib import blake2b
    return blake2b(name.encode("utf-8", "surrogatepass"), key=key[:64], digest_size=8).hexdigest()


def texts_in(body: str) -> list[str]:
    """The texts of a JSON list."""
    value = loads(body) if body else []
    return [text for text in value if isinstance(text, str)] if isinstance(value, list) else []


def words_in(text: str) -> set[str]:
    """All words of a text, in lower case."""
    return set(text.translate(_PLAIN).lower().split())


def words_called(command: str) -> set[str]:
    """The words of a command line; `python3` also counts as `python`."""
    words = words_in(command)
    return words | {word.rstrip(_DIGITS) for word in words}


def _lines(entries: object) -> Lines:
    return [(str(item), of_deck(text)) for item, text in _pairs(entries)]


def _pairs(value: object) -> list[tuple[object, object]]:
    """The rows of a JSON list of pairs, or of its text."""
    rows = loads(value) if isinstance(value, str) else value
    return (
        [(row[0], row[1]) for row in rows if isinstance(row, list) and len(row) == 2] if isinstance(rows, list) else []
    )
