"""What a command line can do that only a person may advise.

An agent can be talked into a command, and that it then worked says nothing against it. So advice is judged by what it
makes possible, not by who ran it how often: a line, or a change, is ordinary if each of its parts is of a kind that is
known to be harmless (`harmless`), and everything else needs a person. The answer names the first such part; "" where a
line is ordinary.
"""

from collections.abc import Iterable, Iterator

from afterwit.actions.shell.command_changes import CommandChange
from afterwit.actions.shell.parse import parsed
from afterwit.harvest.commands import harmless_table as table
from afterwit.harvest.commands.harmless import is_own_code, unknown_parts
from afterwit.harvest.harvester import quote
from afterwit.model.text import regex
from afterwit.redaction.plain_names import reads_like_a_sentence

_PLACE = regex(r"<(?:path|name)>")


def power_of(line: str) -> str:
    """What the line can do that only a person may advise. `<path>` stands for any path inside the repository."""
    return _first(unknown_parts(_PLACE.sub("x", line), may_run_scripts=True))


def is_tellable(line: str) -> bool:
    """Whether a command of a repository may be named to an agent: ordinary, and made of plain names."""
    free = " ".join(word for word in line.split() if not word.startswith("-"))
    return bool(quote(line)) and not reads_like_a_sentence(free) and not power_of(line)


def power_gained(failed: str, fixed: str) -> str:
    """The same, of what the second line can do and the first cannot: by what came to it, or fell away."""
    gained = unknown_parts(fixed) - unknown_parts(failed)
    return _first(
        (*gained, *_guards_lost(failed, fixed), *_commands_added(failed, fixed), *_names_added(failed, fixed))
    )


def power_of_change(change: CommandChange) -> str:
    """The same, of a change that is applied to other lines."""
    failed, fixed = (" ".join(word for word in words if word not in ("*", "…")) for words in change)
    return power_gained(failed, fixed)


def _first(parts: Iterable[str]) -> str:
    kind, _, what = min(parts, default="").partition(" ")
    return f"{kind} {quote(what)}".strip()


def _guards_lost(failed: str, fixed: str) -> Iterator[str]:
    """Flags and sandboxes that fell away and that had kept something from happening."""
    kept = {word.text.partition("=")[0] for command in parsed(fixed).commands for word in command.words}
    for command in parsed(failed).commands:
        for word in command.words:
            name = word.text.partition("=")[0]
            if name not in kept and (table.GUARDS.fullmatch(name) or name in table.SANDBOXES):
                yield f"without {name}"


def _commands_added(failed: str, fixed: str) -> Iterator[str]:
    """Commands that came to the line."""
    before, after = parsed(failed).commands, parsed(fixed).commands
    if len(after) > max(1, len(before)):
        old = {"cd", "pushd", *(command.program for command in before)}
        yield from (f"program {command.program}" for command in after if command.program not in old)


def _names_added(failed: str, fixed: str) -> Iterator[str]:
    """Names that were given to programs which nobody knows: what they mean cannot be told."""
    strange = [command for command in parsed(fixed).commands if command.program not in table.KNOWN_NAMES]
    before, after = (
        [word for command in commands for word in command.arguments if not word.startswith("-")]
        for commands in (parsed(failed).commands, strange)
    )
    if len(after) > len(before):
        yield from (f"word {word}" for word in after if word not in before and not is_own_code(word))
