"""Paths below a repository that sessions guessed wrongly, with the right ones that they found later.

A path counts as wrong where the file system said so and the session did not make it itself. The right one is what the
same session then read or changed: the same name elsewhere, or a name much like it. A folder that was read as a file is
told with what is in it, as far as sessions named it. That a later session touches a path speaks against its being
wrong. Groups are the topmost folders of a repository.

That names are guessed wrongly somewhere is no knowledge by itself. But where it happened before, the next file that is
not there is best looked for by a part of its name: `GuessedNames` answers the next wrong guess, and never stands by
itself.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher

from afterwit.actions.shell.command_changes import ARROW, WIDEN
from afterwit.actions.shell.parse import parsed
from afterwit.guard.plain_names import is_plain_path
from afterwit.harvest.commands.invocations import command_at, excerpt_of, folder_below, roots_of
from afterwit.harvest.harvester import (
    NEVER_ALONE,
    Grouped,
    by_repo,
    commonest,
    grouped_by,
    in_order,
    outcomes,
    ranked,
    stories_in,
    story_counts,
    unique,
    when,
)
from afterwit.harvest.wording import quoted, sentence
from afterwit.model.digest import Digest, Failure
from afterwit.model.kinds import ActionKind
from afterwit.model.knowledge import Category, Channel, Draft, Scope, Seen, Sighting, Trigger
from afterwit.text.patterns import regex

_MISSING = (
    regex(r"(?:can't read|cannot access|cannot open|cannot stat) '?([^\s':]{2,200})'?: No such file"),
    regex(r"(?:^|[\s:])'?([^\s:'\"]{2,200})'?: (?:No such file or directory|Is a directory)", re.MULTILINE),
    regex(r"no such file or directory: ([^\s'\"]{2,200})"),
)
_TOLD = regex(r"File does not exist|Path does not exist|EISDIR|ENOENT|Is a directory|No such file", re.IGNORECASE)
_FOLDER = regex(r"\bis a directory\b|EISDIR", re.IGNORECASE)
_PLAIN = regex(r"[\w.@+-]+(?:/[\w.@+-]+)*")
_MOMENT = regex(r"\btmp\b|\d{4}-\d\d|\.lock$|\.log$|(?:^|/)(?:node_modules|\.git|dist|build|target)/|^\.git$")
_COMMON = regex(r"readme|index|main|__init__|mod|lib|package|makefile|license|types|utils|test|setup", re.IGNORECASE)
_FOLDERS = regex(
    r"(?:.*/)?(?:src|lib|libs|components?|pages|routes|tests?|docs?|packages|apps?|internal|cmd|pkg|scripts|tools|examples?)"
)
_ALIKE = 0.66
_SAME_NAME = 0.9
_REACH = 40
_MOST_TOUCHED = 20
_MOST_FOLDERS = 4
_MOST_INSIDE = 6
_MOST_SHOWN = 3
_STORIES = 2
_NAMED = regex(r".+/[^/]+\.\w+")
_READERS = ("cat", "grep", "head", "nl", "rg", "sed", "tail", "wc")


class Guessed(Seen, frozen=True, kw_only=True, omit_defaults=True):
    """A wrong path and the right one; or paths that are there."""

    wrong: str = ""
    right: str = ""
    is_folder: bool = False  # it is there, but no file
    inside: tuple[str, ...] = ()  # names in the folder
    touched: tuple[str, ...] = ()

    @property
    def is_telling(self) -> bool:
        return bool(self.wrong)


class WrongPaths:
    name = "wrong-paths"
    version = 5
    minimum_stories = _STORIES
    seen = Guessed
    _are_folders = False

    def see(self, digest: Digest) -> Iterable[Grouped[Guessed]]:
        if not digest.repo:
            return
        there = {file.path for file in digest.files}
        for guess in guesses_in(digest, there):
            if guess.is_folder is self._are_folders:
                yield Grouped(f"{digest.repo}\n{_top(guess.wrong)}", guess)
        yield from _touched(digest, there)

    def conclude(self, group: str, sightings: Sequence[Sighting[Guessed]]) -> Iterable[Draft]:
        del group
        for scope, wrong in by_repo(sighting for sighting in sightings if sighting.seen.wrong).items():
            paths = grouped_by(wrong, lambda sighting: sighting.seen.wrong)
            for path, same in sorted(paths.items()):
                if len(stories_in(same)) >= _STORIES:
                    yield from self._draft(scope, path, same, sightings)

    def _draft(
        self, scope: Scope, path: str, same: Sequence[Sighting[Guessed]], sightings: Sequence[Sighting[Guessed]]
    ) -> Iterator[Draft]:
        right = commonest(story_counts((seen.right, session.story) for session, seen in same))
        is_folder = same[-1].seen.is_folder
        inside = _names_inside(path, sightings) if is_folder else []
        if not right and not inside:
            return
        holds = ", ".join(quoted(name) for name in inside)
        words = (
            f"{quoted(path)} is a folder, no file; it holds {holds}."
            if is_folder
            else f"There is no {quoted(path)}: it is {quoted(right)}."
        )
        against = (
            sighting
            for sighting in in_order(sightings)
            if path in sighting.seen.touched and when(sighting) > when(same[-1]) and sighting.session.repo == scope.name
        )
        yield Draft(
            harvester=self.name,
            key=(path,),
            scope=scope,
            category=Category.PITFALL,
            sentence=sentence(words),
            channel=Channel.OUTCOME,
            triggers=(Trigger(path=path),),
            advice=f"ls {path}" if is_folder else f"{path}{ARROW}{right}".strip(),
            files=tuple(f"{path}/{name}" for name in inside) if is_folder else (right,),
            evidence=outcomes(same, against),
        )


class FoldersRead(WrongPaths):
    """Folders that were read as files: the error says so itself, so what is in them only answers it."""

    name = "folders-read"
    minimum_stories = NEVER_ALONE
    _are_folders = True


def _top(path: str) -> str:
    return path.partition("/")[0] if "/" in path else ""


def guesses_in(digest: Digest, there: set[str]) -> Iterator[Guessed]:
    """The wrong paths of a session, each once."""
    roots = roots_of(digest)
    guesses = (guess for failure in digest.failures for guess in _guess(digest, failure, roots, there))
    return unique(guesses, lambda guess: guess.wrong)


def _guess(digest: Digest, failure: Failure, roots: frozenset[str], there: set[str]) -> Iterator[Guessed]:
    named, error = _named(digest, failure), digest.steps[failure.at].error
    wrong = folder_below(named, digest.repo, roots) if named else None
    is_folder = bool(_FOLDER.search(error))
    if not wrong or not is_plain_path(wrong) or not _PLAIN.fullmatch(wrong) or _MOMENT.search(wrong):
        return
    if _FOLDERS.fullmatch(wrong) if is_folder else wrong in there:
        return
    if "/" not in wrong and _COMMON.fullmatch(wrong.partition(".")[0]):
        return
    yield Guessed(
        at=failure.at,
        excerpt=excerpt_of(digest.steps[failure.at]),
        wrong=wrong,
        right="" if is_folder else _right(digest, failure.at, wrong),
        is_folder=is_folder,
        inside=_inside(digest, wrong) if is_folder else (),
    )


def _named(digest: Digest, failure: Failure) -> str:
    """The path that a failure was about; "" where it was about none."""
    step = digest.steps[failure.at]
    if not _TOLD.search(step.error) or step.kind is ActionKind.SEARCH:
        return ""
    if step.kind is ActionKind.READ:
        return step.target
    command = command_at(digest.steps, failure.at)
    path = next((match[1] for form in _MISSING if (match := form.search(step.error))), "")
    is_program = any(simple.words and simple.words[0].text == path for simple in parsed(command).commands)
    return path if path in command and not is_program and " cd " not in f" {command}" else ""


def _inside(digest: Digest, folder: str) -> tuple[str, ...]:
    """Names in a folder that calls of the session named and that worked."""
    named = re.compile(rf"(?<![\w.-]){re.escape(folder)}/([\w.-]*\w)")
    names = (name for step in digest.steps if step.has_worked for name in named.findall(step.target))
    return tuple(dict.fromkeys(filter(is_plain_path, names)))[:_MOST_INSIDE]


def _right(digest: Digest, at: int, wrong: str) -> str:
    """What the session then found: the same name elsewhere, or a name much like it."""
    shown = [path for path in _paths_after(digest, at) if path != wrong and is_plain_path(path)]
    best = max(shown, key=lambda path: _likeness(wrong, path), default="")
    return best if best and _likeness(wrong, best) >= _ALIKE else ""


def _paths_after(digest: Digest, at: int) -> Iterator[str]:
    """Files of the repository that later steps name and that worked."""
    worked = (step for step in digest.steps[at + 1 : at + 1 + _REACH] if step.has_worked)
    for step in worked:
        yield from (file.path for file in digest.files if _names(step.target, file.path))


def _names(text: str, path: str) -> bool:
    """Whether the text names this file of the repository, and not one that only begins or ends like it."""
    if path.startswith("/") or path not in text:
        return False
    at = text.find(path)
    before, after = text[at - 1 : at] if at else "", text[at + len(path) : at + len(path) + 1]
    return not re.match(r"[\w.-]", before) and not re.match(r"[\w./-]", after)


def _likeness(wrong: str, path: str) -> float:
    """How much alike two paths are: by their names above all. A name that every folder has tells nothing elsewhere."""
    folder, _, name = wrong.rpartition("/")
    other_folder, _, other = path.rpartition("/")
    stem = name.partition(".")[0] or name
    names = SequenceMatcher(None, stem, other.partition(".")[0] or other, autojunk=False).ratio()
    if folder == other_folder:
        return 0.8 * names + 0.2
    return 0.0 if names < _SAME_NAME or _COMMON.fullmatch(stem) else 0.8 * names


def _touched(digest: Digest, there: Iterable[str]) -> Iterator[Grouped[Guessed]]:
    tops = grouped_by((path for path in sorted(there) if not path.startswith("/")), _top)
    for top, paths in sorted(tops.items(), key=lambda item: -len(item[1]))[:_MOST_FOLDERS]:
        yield Grouped(f"{digest.repo}\n{top}", Guessed(touched=tuple(paths[:_MOST_TOUCHED])))


def _names_inside(folder: str, sightings: Sequence[Sighting[Guessed]]) -> list[str]:
    """What is in a folder, as sessions named it, the commonest first."""
    names: set[tuple[str, str]] = set()
    for session, seen in sightings:
        below = (path[len(folder) + 1 :] for path in seen.touched if path.startswith(f"{folder}/"))
        inside = (*(seen.inside if seen.wrong == folder else ()), *(path.partition("/")[0] for path in below))
        names.update((name, session.story) for name in inside if is_plain_path(name))
    return ranked(story_counts(names))[:_MOST_INSIDE]


class GuessedNames:
    name = "guessed-names"
    version = 3
    minimum_stories = NEVER_ALONE
    seen = Guessed

    def see(self, digest: Digest) -> Iterable[Grouped[Guessed]]:
        if digest.repo:
            for guess in guesses_in(digest, {file.path for file in digest.files}):
                if not guess.is_folder and _NAMED.fullmatch(guess.wrong):
                    yield Grouped(digest.repo, guess)

    def conclude(self, group: str, sightings: Sequence[Sighting[Guessed]]) -> Iterable[Draft]:
        del group
        for scope, same in by_repo(sightings).items():
            if len(stories_in(same)) < _STORIES:
                continue
            names = list(dict.fromkeys(sighting.seen.wrong for sighting in reversed(same)))
            shown = ", ".join(quoted(name, 40) for name in names[:_MOST_SHOWN])
            yield Draft(
                harvester=self.name,
                key=("names",),
                scope=scope,
                category=Category.PITFALL,
                sentence=sentence(
                    f"Names of files were guessed wrongly here ({shown} did not exist): look a name up with"
                    " `git ls-files '*part*'` first."
                ),
                channel=Channel.OUTCOME,
                triggers=tuple(
                    Trigger(signature=f"{reader}: <path>: No such file or directory") for reader in _READERS
                ),
                advice=str(WIDEN),
                evidence=outcomes(same),
            )
