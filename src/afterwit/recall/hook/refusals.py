"""What an agent is told when a call goes against a check: what, why, who wanted it, and what to do now."""

from afterwit.recall.hook.checks import Breach
from afterwit.redaction.shown import NOTHING, Shown, command, joined, ours, path


def refusal(breach: Breach, *, is_late: bool = False) -> Shown:
    """The sentences. `is_late`: the call was made already."""
    check = breach.check
    beginning = ours("That call went against a check: ") if is_late else ours("Stopped before it ran: ")
    wanted = joined((ours(" ("), check.wanted_by, ours(" wants this)."))) if check.wanted_by else ours(".")
    again = ours(" If it is right all the same, call the same command again to run it as it is.")
    if check.is_strict:
        again = ours(" This check is strict: calling it again does not help.")
    return joined((beginning, check.text, wanted, ours(" "), _to_do(breach), NOTHING if is_late else again))


def _to_do(breach: Breach) -> Shown:
    check = breach.check
    own, other = command(check.command), command(check.other)
    if check.kind == "not-command":
        return joined((ours("Nobody asked for "), own, ours(" in this session: ask the user first.")))
    if check.kind == "before":
        return joined((other, ours(" has not passed since the last edit: run it first.")))
    if check.kind == "instead":
        return joined((ours("Use "), command(breach.advice) or other, ours(".")))
    if check.kind == "after-file":
        edited = path(check.path) or ours("The file")
        return joined((edited, ours(" was edited: let "), own, ours(" pass, then commit.")))
    if check.kind == "not-file":
        file = path(breach.subject) or ours("the file")
        return joined((ours("Leave "), file, ours(" as it is, and say what you would change.")))
    return ours("Write it without that text.")
