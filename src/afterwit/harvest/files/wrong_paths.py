"""Paths below a repository that sessions guessed wrongly, with the right ones that they found later.

A path counts as wrong where the file system said so and the session did not make it itself. The right one is what the
same session then read or changed: the same name elsewhere, or a name much like it. A folder that was read as a file is
told with what is in it, as far as sessions named it. That a later session touches a path speaks against its being
wrong. Groups are the topmost folders of a repository.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher

import msgspec

from afterwit.actions.shell.command_changes import ARROW
from afterwit.actions.shell.parse import parsed
from afterwit.guard.plain_names import is_plain_path
from afterwit.harvest.commands.calls import command_at, excerpt_of
from afterwit.harvest.commands.invocations import folder_below, has_worked, roots_of
from afterwit.harvest.harvester import NEVER_ALONE, Grouped, evidence_of
from afterwit.harvest.sightings import by_repo, in_order, place
from afterwit.harvest.wording import quoted, sentence
from afterwit.model.digest import Digest, Failure
from afterwit.model.kinds import ActionKind
from afterwit.model.knowledge import Category, Channel, Draft, Scope, Seen, Sighting, Trigger

_MISSING = (
    re.compile(r"(?:can't read|cannot access|cannot open|cannot stat) '?([^\s':]{2,200})'?: No such file"),
    re.compile(r"(?:^|[\s:])'?([^\s:'\"]{2,200})'?: (?:No such file or directory|Is a directory)", re.MULTILINE),
    re.compile(r"no such file or directory: ([^\s'\"]{2,200})"),
)
_TOLD = re.compile(r"File does not exist|Path does not exist|EISDIR|ENOENT|Is a directory|No such file", re.IGNORECASE)
_FOLDER = re.compile(r"\bis a directory\b|EISDIR", re.IGNORECASE)
_LOOKS = (ActionKind.READ, ActionKind.SEARCH)
_PLAIN = re.compile(r"[\w.@+-]+(?:/[\w.@+-]+)*")
_MOMENT = re.compile(r"\btmp\b|\d{4}-\d\d|\.lock$|\.log$|(?:^|/)(?:node_modules|\.git|dist|build|target)/|^\.git$")
_COMMON = re.compile(
    r"readme|index|main|__init__|mod|lib|package|makefile|license|types|utils|test|setup", re.IGNORECASE
)
_FOLDERS = re.compile(
    r"(?:.*/)?(?:src|lib|libs|components?|pages|routes|tests?|docs?|packages|apps?|internal|cmd|pkg|scripts|tools|examples?)"
)
_ALIKE = 0.66
_SAME_NAME = 0.9
_REACH = 40
_MOST_TOUCHED = 20
_MOST_FOLDERS = 4
_MOST_INSIDE = 6


class Guessed(Seen, frozen=True, kw_only=True, omit_defaults=True):
    """A wrong path and the right one; or paths that are there."""

    wrong: str = ""
    right: str = ""
    is_folder: bool = False  # it is there, but no file
    inside: tuple[str, ...] = ()  # names in the folder
    touched: tuple[str, ...] = ()


class WrongPaths:
    name = "wrong-paths"
    version = 4
    minimum_stories = 2
    seen = Guessed
    _are_folders = False

    def see(self, digest: Digest) -> Iterable[Grouped[Guessed]]:
        if not digest.repo:
            return
        there = {file.path for file in digest.files}
        for guessed in guesses_in(digest, there):
            if guessed.is_folder is self._are_folders:
                yield Grouped(f"{digest.repo}\n{_top(guessed.wrong)}", guessed)
        yield from _touched(digest, there)

    def conclude(self, group: str, sightings: Sequence[Sighting[Guessed]]) -> Iterable[Draft]:
        del group
        wrong = in_order(sighting for sighting in sightings if sighting.seen.wrong)
        for scope, same in by_repo(wrong).items():
            for draft in _paths(scope, same, sightings):
                yield msgspec.structs.replace(draft, harvester=self.name)


class FoldersRead(WrongPaths):
    """Folders that were read as files: the error says so itself, so what is in them only answers it."""

    name = "folders-read"
    minimum_stories = NEVER_ALONE
    _are_folders = True


def _top(path: str) -> str:
    return path.partition("/")[0] if "/" in path else ""


def guesses_in(digest: Digest, there: set[str]) -> Iterator[Guessed]:
    roots, given = roots_of(digest), set()
    for failure in digest.failures:
        named = _named(digest, failure)
        wrong = folder_below(named, digest.repo, roots) if named else None
        is_folder = bool(_FOLDER.search(digest.steps[failure.at].error))
        if (
            not wrong
            or wrong in given
            or not is_plain_path(wrong)
            or not _PLAIN.fullmatch(wrong)
            or _MOMENT.search(wrong)
        ):
            continue
        if is_folder and _FOLDERS.fullmatch(wrong):
            continue
        if (wrong in there and not is_folder) or ("/" not in wrong and _COMMON.fullmatch(wrong.partition(".")[0])):
            continue
        given.add(wrong)
        right = "" if is_folder else _right(digest, failure.at, wrong)
        inside = _inside(digest, wrong) if is_folder else ()
        excerpt = excerpt_of(digest.steps[failure.at])
        yield Guessed(at=failure.at, excerpt=excerpt, wrong=wrong, right=right, is_folder=is_folder, inside=inside)


def _named(digest: Digest, failure: Failure) -> str:
    """The path that a failure was about; "" where it was about none."""
    step = digest.steps[failure.at]
    if not _TOLD.search(step.error):
        return ""
    if step.kind in _LOOKS:
        return step.target if step.kind is ActionKind.READ else ""
    command = command_at(digest.steps, failure.at)
    found = next((found[1] for form in _MISSING if (found := form.search(step.error))), "")
    is_program = any(one.words and one.words[0].text == found for one in parsed(command).commands)
    return found if found in command and not is_program and " cd " not in f" {command}" else ""


def _inside(digest: Digest, folder: str) -> tuple[str, ...]:
    """Names in a folder that calls of the session named and that worked."""
    named = re.compile(rf"(?<![\w.-]){re.escape(folder)}/([\w.-]*\w)")
    found = (name for step in digest.steps if has_worked(step) for name in named.findall(step.target))
    return tuple(dict.fromkeys(filter(is_plain_path, found)))[:_MOST_INSIDE]


def _right(digest: Digest, at: int, wrong: str) -> str:
    """What the session then found: the same name elsewhere, or a name much like it."""
    shown = [path for path in _paths_after(digest, at) if path != wrong and is_plain_path(path)]
    best = max(shown, key=lambda path: _likeness(wrong, path), default="")
    return best if best and _likeness(wrong, best) >= _ALIKE else ""


def _paths_after(digest: Digest, at: int) -> Iterator[str]:
    """Files of the repository that later steps name and that worked."""
    for later in range(at + 1, min(at + 1 + _REACH, len(digest.steps))):
        step = digest.steps[later]
        if has_worked(step):
            text = step.target
            yield from (file.path for file in digest.files if _names(text, file.path))


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
    tops: defaultdict[str, list[str]] = defaultdict(list)
    for path in sorted(there):
        if not path.startswith("/"):
            tops[_top(path)].append(path)
    for top, paths in sorted(tops.items(), key=lambda item: -len(item[1]))[:_MOST_FOLDERS]:
        yield Grouped(f"{digest.repo}\n{top}", Guessed(touched=tuple(paths[:_MOST_TOUCHED])))


def _paths(scope: Scope, wrong: Sequence[Sighting[Guessed]], sightings: Sequence[Sighting[Guessed]]) -> Iterator[Draft]:
    found: defaultdict[str, list[Sighting[Guessed]]] = defaultdict(list)
    for one in wrong:
        found[one.seen.wrong].append(one)
    for path, same in sorted(found.items()):
        right, is_folder = _commonest(same), same[-1].seen.is_folder
        inside = _known_inside(path, sightings) if is_folder else []
        if not right and not inside:
            continue
        against = [
            evidence_of(one, Channel.OUTCOME, is_against=True)
            for one in in_order(sightings)
            if path in one.seen.touched and place(one) > place(same[-1]) and one.session.repo == scope.name
        ]
        yield Draft(
            harvester=WrongPaths.name,
            key=(path,),
            scope=scope,
            category=Category.PITFALL,
            sentence=sentence(_folder_said(path, inside) if is_folder else _said(path, right)),
            channel=Channel.OUTCOME,
            triggers=(Trigger(path=path),),
            advice=f"ls {path}" if is_folder else f"{path}{ARROW}{right}".strip(),
            files=tuple(f"{path}/{name}" for name in inside) if is_folder else (right,),
            evidence=(*(evidence_of(one, Channel.OUTCOME) for one in same), *against),
        )


def _commonest(same: Sequence[Sighting[Guessed]]) -> str:
    stories: defaultdict[str, set[str]] = defaultdict(set)
    for one in same:
        if one.seen.right:
            stories[one.seen.right].add(one.session.story)
    return max(sorted(stories), key=lambda right: len(stories[right]), default="")


def _known_inside(folder: str, sightings: Sequence[Sighting[Guessed]]) -> list[str]:
    """What is in a folder, as sessions named it, the commonest first."""
    stories: defaultdict[str, set[str]] = defaultdict(set)
    for session, seen in sightings:
        below = (path[len(folder) + 1 :] for path in seen.touched if path.startswith(f"{folder}/"))
        for name in (*(seen.inside if seen.wrong == folder else ()), *(path.partition("/")[0] for path in below)):
            if is_plain_path(name):
                stories[name].add(session.story)
    return sorted(stories, key=lambda name: (-len(stories[name]), name))[:_MOST_INSIDE]


def _folder_said(path: str, inside: Sequence[str]) -> str:
    return f"{quoted(path)} is a folder, no file; it holds {', '.join(quoted(name) for name in inside)}."


def _said(path: str, right: str) -> str:
    return f"There is no {quoted(path)}: it is {quoted(right)}."
