"""Writes into a deck what a hook asks at the first prompt: places and talks of each repository, by word.

Each word has one row with the numbers of all that hold it, so that a question reads a row for each of its words and
the facts of what matched, and nothing is built anew. Of a repository with a long history the newest sessions are kept;
one without new sessions is copied from the deck before.
Not for hooks to import; they read with `first_prompt`.
"""

import heapq
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import resources
from typing import NamedTuple

import apsw

from afterwit.model.quick_json import dumps
from afterwit.recall.deck.first_prompt import pack_numbers, pack_weighted
from afterwit.recall.place_index import MEMORY, PlaceSighting, path_total, rarity, recencies, words_of_sighting
from afterwit.recall.talks import Talk, counts_of, weights
from afterwit.text.words import words_of

MOST_SESSIONS = 2_000
MOST_COMMITS = 1_000
MOST_CHANGED = 40  # files that are kept in the order of their changes
_SHORT = 10  # characters of a commit's id

Redact = Callable[[str], str]
_Rows = Iterator[tuple[str, str, bytes]]
_COLUMNS = {
    "prompt_repos": ("id", "repo", "mark", "talks", "body"),
    "prompt_terms": ("repo", "kind", "term", "body"),
    "prompt_talks": ("repo", "number", "quote", "at_ms", "session"),
}


class PromptIndex(NamedTuple):
    """What is known of one repository; each session once."""

    sightings: Sequence[PlaceSighting] = ()
    talks: Sequence[Talk] = ()


class PromptSource(NamedTuple):
    """Where what is known of a repository comes from. As long as the mark is the same, so is the index."""

    mark: str
    load: Callable[[], PromptIndex]


def write_prompt_tables(
    db: apsw.Connection, sources: Mapping[str, PromptSource], earlier: str | None = None, redact: Redact = str
) -> None:
    """Creates the tables and fills them, by repository, within the caller's transaction. What the earlier deck, which
    is attached under this name, has of the same sessions is copied from there. Quotes are redacted, and words that
    go with a secret are not filed."""
    db.execute(resources.files("afterwit.recall.deck").joinpath("prompt_tables.sql").read_text("utf-8"))
    for number, (repo, source) in enumerate(sorted(sources.items())):
        if earlier is None or not _copied(db, earlier, number, repo, source.mark):
            _put(db, number, repo, source, redact)


def _copied(db: apsw.Connection, earlier: str, number: int, repo: str, mark: str) -> bool:
    row = db.execute(f"SELECT id FROM {earlier}.prompt_repos WHERE repo = ? AND mark = ?", (repo, mark)).fetchone()  # noqa: S608
    if not row:
        return False
    for table, columns in _COLUMNS.items():
        key, *rest = columns
        query = f"""INSERT INTO main.{table} ({key}, {", ".join(rest)})
                    SELECT ?, {", ".join(rest)} FROM {earlier}.{table} WHERE {key} = ?"""  # noqa: S608
        db.execute(query, (number, row[0]))
    return True


def _put(db: apsw.Connection, number: int, repo: str, source: PromptSource, redact: Redact) -> None:
    index = source.load()
    sightings = [redacted_sighting(sighting, redact) for sighting in _newest(index.sightings)]
    latest = sorted(index.talks, key=lambda talk: (talk.quote.at_ms, talk.key))[-MOST_SESSIONS:]
    talks = [_redacted(talk, redact) for talk in sorted(latest, key=lambda talk: talk.key)]
    paths = sorted({path for sighting in sightings for path in sighting.changed})
    files = {path: at for at, path in enumerate(paths)}
    bags = [words_of_sighting(sighting) for sighting in sightings]
    row = (number, repo, source.mark, len(talks), _places_body(sightings, bags, files))
    db.execute("INSERT INTO main.prompt_repos VALUES (?, ?, ?, ?, ?)", row)
    for rows in (_session_rows(bags), _file_rows(sightings, files), _talk_rows(talks)):
        db.executemany("INSERT INTO main.prompt_terms VALUES (?, ?, ?, ?)", ((number, *row) for row in rows))
    db.executemany(
        "INSERT INTO main.prompt_talks VALUES (?, ?, ?, ?, ?)",
        ((number, at, *talk.quote) for at, talk in enumerate(talks)),
    )


def _newest(sightings: Sequence[PlaceSighting]) -> list[PlaceSighting]:
    """In the order of time, of sessions and of other work as many as are kept."""
    ordered = sorted(sightings, key=lambda sighting: (sighting.at_ms, sighting.session))
    sessions = [sighting for sighting in ordered if sighting.is_session][-MOST_SESSIONS:]
    others = [sighting for sighting in ordered if not sighting.is_session][-MOST_COMMITS:]
    return sorted((*sessions, *others), key=lambda sighting: (sighting.at_ms, sighting.session))


def redacted_sighting(sighting: PlaceSighting, redact: Redact) -> PlaceSighting:
    """A path that says what nobody should read is not known. Those of sessions are redacted already."""
    changed = sighting.changed
    if not sighting.is_session:
        changed = {path: names for path, names in changed.items() if redact(path) == path}
    return sighting._replace(text=redact(sighting.text), changed=changed)


def _redacted(talk: Talk, redact: Redact) -> Talk:
    return talk._replace(quote=talk.quote._replace(text=redact(talk.quote.text)), text=redact(talk.text))


def _places_body(sightings: Sequence[PlaceSighting], bags: Sequence[frozenset[str]], files: dict[str, int]) -> str:
    changes = Counter(path for sighting in sightings for path in sighting.changed)
    by_sessions = Counter(path for sighting in sightings if sighting.is_session for path in sighting.changed)
    words = {path: frozenset(words_of(path)) for path in files}
    holders = Counter(word for path_words in words.values() for word in path_words)
    totals = {path: path_total(words[path], lambda word: rarity(len(files), holders[word])) for path in files}
    faded = recencies([sighting.changed for sighting in reversed(sightings) if sighting.changed][:MEMORY])
    rows = [(path, by_sessions[path], totals[path], *faded.get(path, ())) for path in files]
    works = [
        (_name(sighting), len(bag), [files[path] for path in sighting.changed])
        for sighting, bag in zip(sightings, bags, strict=True)
    ]
    most = heapq.nsmallest(MOST_CHANGED, files, key=lambda path: (-changes[path], path))
    return dumps((rows, works, [files[path] for path in most]))


def _name(sighting: PlaceSighting) -> str:
    """Commits are asked for by nobody, and there are many."""
    return sighting.session if sighting.is_session else sighting.session[:_SHORT]


def _session_rows(bags: Sequence[frozenset[str]]) -> _Rows:
    holders: defaultdict[str, list[int]] = defaultdict(list)
    for number, bag in enumerate(bags):
        for word in bag:
            holders[word].append(number)
    return (("said", word, pack_numbers(numbers)) for word, numbers in sorted(holders.items()))


def _file_rows(sightings: Sequence[PlaceSighting], files: dict[str, int]) -> _Rows:
    """Under which words, names, symbols and branches a file is found."""
    filed: defaultdict[tuple[str, str], set[int]] = defaultdict(set)
    for path, number in files.items():
        filed["name", path.rpartition("/")[2].lower()].add(number)
        for word in words_of(path):
            filed["path", word].add(number)
    for sighting in sightings:
        for path, symbols in sighting.changed.items():
            filed["branch", sighting.branch].add(files[path])
            for name in symbols:
                filed["symbol", name.lower()].add(files[path])
    return ((kind, term, pack_numbers(sorted(numbers))) for (kind, term), numbers in sorted(filed.items()))


def _talk_rows(talks: Sequence[Talk]) -> _Rows:
    holders: defaultdict[str, list[tuple[int, float]]] = defaultdict(list)
    for number, talk in enumerate(talks):
        for term, weight in weights(counts_of(talk.text)).items():
            holders[term].append((number, weight))
    return (("talk", term, pack_weighted(weighted)) for term, weighted in sorted(holders.items()))
