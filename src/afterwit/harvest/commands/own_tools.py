"""Programs that are the user's own tools: of them more may be told than the closed sets hold.

No table knows the tracker, the launcher or the wrapper that somebody works with, and half of what sessions find out of
a repository is about just these. A program that nobody knows is told of, as something seen, if it is certain that no
text from elsewhere brought it: the user typed its name, the repository's own instructions name it, or the agent called
it before anything that it had read said so. That a call worked says nothing, as ever. What loads, fetches, deletes,
sends, leaves a guard out or goes elsewhere waits for a person whatever its program is. Pure.
"""

import re
from collections.abc import Collection, Iterable

from afterwit.actions.shell.parse import parsed
from afterwit.harvest.commands import harmless_table as table
from afterwit.harvest.commands.harmless import does_harm, unknown_parts
from afterwit.model.text import regex

_NAME = regex(r"[a-z][\w-]{1,30}")
_ACTS = table.NO_TASK_WORDS | frozenset(
    """apply clone connect curl dial download eject erase eval exec expose fetch forward http install invite mail merge
    overwrite pay proxy pull put shell source ssh transfer tunnel unlock upgrade url webhook""".split()  # noqa: SIM905
)

_WIDE = frozenset(  # programs that everybody could know, and whose use is to delete, to stop or to reach elsewhere
    """aws az cloudflared croc dd firebase fly flyctl format gcloud gsutil halt heroku kill killall mail mailx mc mkfs
    mutt netlify ngrok pkill poweroff rclone reboot rm rmdir s3cmd sendmail shred shutdown stripe supabase tailscale
    truncate twilio twine unlink vercel wormhole wrangler""".split()  # noqa: SIM905
)


def strangers_in(line: str) -> frozenset[str]:
    """The programs of a line that no table knows, by plain names."""
    return frozenset(
        command.program
        for command in parsed(line).commands
        if command.program not in table.KNOWN_NAMES | table.POWERFUL | _WIDE and _NAME.fullmatch(command.program)
    )


def is_of_own_tools(line: str, own: Collection[str]) -> bool:
    """Whether nothing of a line is out of the ordinary but that it calls these programs."""
    strangers = strangers_in(line)
    if not strangers or not strangers <= frozenset(own):
        return False
    return all(_is_fine(part, strangers) for part in unknown_parts(line))


def _is_fine(part: str, own: Collection[str]) -> bool:
    kind, _, what = part.partition(" ")
    if kind == "program":
        return what in own
    if kind == "flag":
        name, _, value = what.partition("=")
        return table.LOWERS.fullmatch(name) is None and not _acts(name) and not (value and does_harm(f"word {value}"))
    return kind == "word" and not does_harm(part) and not _acts(what)


def _acts(word: str) -> bool:
    """Whether a word says to do what cannot be taken back, or reaches elsewhere."""
    return not _ACTS.isdisjoint(re.split(r"[^a-z]+", word.lower()))


def named_in(name: str, texts: Iterable[str]) -> bool:
    """Whether one of these texts names a program."""
    word = re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-])", re.IGNORECASE)
    return any(word.search(text) for text in texts)
