"""Triggers are tried on past sessions by what hooks ask."""

from typing import Any

import pytest
from tests.harvest.talks import said
from tests.harvest.work import Act, edited, failed, ran, session

from afterwit.model.digest import Digest
from afterwit.model.kinds import Status
from afterwit.model.knowledge import Activity, Trigger
from afterwit.recall.trial import times_fired

_STACK = Trigger(topic=("crate", "stack"))
_PRESS = Trigger(activity=Activity.EDIT, path="press/**")
_PUSH = Trigger(program="git", words=("push",))
_QUOTA = Trigger(error=("exceeded", "quota", "storage"))


def _worked(*acts: Act, prompts: tuple[str, ...] = ("Go on",), **more: Any) -> Digest:
    return session(*acts, prompts=tuple(map(said, prompts)), **more)


def _fired(trigger: Trigger, *sessions: Digest) -> int:
    (times,), of, _ = times_fired([(trigger,)], sessions)
    assert of == len(sessions)
    return times


@pytest.mark.parametrize(
    ("trigger", "there", "elsewhere"),
    [
        (_STACK, _worked(prompts=("Go on", "Stack all the crates")), _worked(prompts=("Stack the barrels",))),
        (_PRESS, _worked(edited("press/quince.py")), _worked(edited("cellar/quince.py"))),
        (_PUSH, _worked(ran("cd mill && git push origin")), _worked(ran("git pull"))),
        (_PUSH, _worked(failed("git push", says="rejected")), _worked(failed("git pull", says="rejected"))),
        (
            _QUOTA,
            _worked(failed("crates send", says="error: storage quota exceeded")),
            _worked(failed("crates send", says="error: no such crate")),
        ),
    ],
    ids=["words", "files", "command", "failed command", "error"],
)
def test_a_trigger_fires_where_hooks_would_say_its_line(trigger: Trigger, there: Digest, elsewhere: Digest) -> None:
    assert _fired(trigger, there) == 1
    assert _fired(trigger, elsewhere) == 0


def test_a_session_counts_once_however_often_it_fires_there() -> None:
    often = _worked(edited("press/a.py"), edited("press/b.py"), edited("press/a.py"))
    assert _fired(_PRESS, often, _worked(edited("press/a.py")), _worked()) == 2


def test_each_trigger_is_counted_for_itself() -> None:
    both = _worked(edited("press/a.py"), ran("git push"))
    assert times_fired([(_PUSH,), (_STACK,), (_PRESS,)], [both, _worked(ran("git push"))])[:2] == ([2, 0, 1], 2)


def test_of_each_session_the_first_moment_is_shown_at_which_a_line_would_come() -> None:
    asked = _worked(edited("press/a.py"), edited("press/b.py"), prompts=("Stack  all the crates",))
    failing = _worked(failed("crates send", says="error: storage quota exceeded"))
    lines = [(_PRESS,), (_STACK,), (_QUOTA,), (_PUSH,)]
    assert times_fired(lines, [asked, failing]).moments == [
        ["`press/a.py`"],
        ["the prompt “Stack all the crates”"],
        ["the failure of `crates send`"],
        [],
    ]


def test_without_triggers_or_sessions_nothing_fires() -> None:
    assert times_fired([], [_worked()]) == ([], 1, [])
    assert times_fired([(_PUSH,), (_PRESS,)], []) == ([0, 0], 0, [[], []])


def test_a_command_that_was_never_run_fires_nothing() -> None:
    denied = ran("git push")
    denied = denied._replace(step=denied.step._replace(status=Status.DENIED))
    assert _fired(_PUSH, _worked(denied)) == 0


def test_of_a_session_whose_prompts_are_not_kept_the_task_counts() -> None:
    assert _fired(_STACK, session(prompts=(), task="Stack the crates")) == 1


def test_several_lines_may_wait_for_one_error() -> None:
    sessions = [_worked(failed("crates send", says="error: storage quota exceeded"))]
    assert times_fired([(_QUOTA,), (Trigger(error=("quota", "storage")),)], sessions).times == [1, 1]
