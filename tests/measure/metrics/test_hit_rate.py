from typing import Any

import msgspec
import pytest
from tests.harvest.talks import said, talk
from tests.harvest.work import edited, failed, ran, session
from tests.measure.metrics.noting import SIGNATURE, day_ms, note, told

from afterwit.agents.hook_payloads import ACTIVITY, AFTER, PROMPT
from afterwit.measure.told_notes import Came, HitTally, MomentOfNote, ToldNote, first_told, hit_rate
from afterwit.measure.words import shared
from afterwit.model.digest import Digest, Touched
from afterwit.model.knowledge import Activity, Item, Trigger


def came(digests: list[Digest], notes: list[ToldNote], *items: Item) -> list[str]:
    return [row.moment for row in rows(digests, notes, *items)]


def rows(digests: list[Digest], notes: list[ToldNote], *items: Item) -> list[MomentOfNote]:
    tally = HitTally(first_told(notes), {item.id: item for item in items or (note(),)})
    for digest in digests:
        tally.take(digest)
    return tally.rows()


def pressing(**more: Any) -> Digest:
    return session(failed("press --fast", signature=SIGNATURE), name="s1", day=10, **more)


def test_the_moment_of_a_note_came_if_its_failure_happened() -> None:
    assert came([pressing()], [told("s1")]) == [Came.CAME]


def test_a_note_is_used_when_the_told_command_is_used_and_the_wrong_one_never_is() -> None:
    advised = note(advice="press --fast → mise exec -- press …")
    heeded = session(ran("mise exec -- press pears"), name="s1", day=10)
    assert came([heeded], [told("s1")], advised) == [Came.CAME]
    assert came([session(ran("mise install press"), name="s1", day=10)], [told("s1")], advised) == [Came.NOT]


def test_a_note_is_used_when_the_told_file_is_then_opened() -> None:
    placed = note(triggers=(), files=("src/mill.py",))
    opened = talk(name="s1", day=10, files=(Touched("src/mill.py", 1, 0),))
    assert came([opened], [told("s1")], placed) == [Came.CAME]
    assert came([talk(name="s1", day=10)], [told("s1")], placed) == [Came.NOT]


def test_it_did_not_come_in_a_session_without_that_failure() -> None:
    assert came([session(ran("press"), name="s1", day=10)], [told("s1")]) == [Came.NOT]


@pytest.mark.parametrize(
    "trigger",
    [
        Trigger(program="press", words=("--slow",)),
        Trigger(path="src/*.py"),
        Trigger(path="docs/press.md"),
        Trigger(rule="DTZ005"),
        Trigger(topic=("appl", "pres")),
        Trigger(activity=Activity.COMMIT),
        Trigger(path="src/mill.py", activity=Activity.EDIT),
    ],
)
def test_every_kind_of_moment_is_seen(trigger: Trigger) -> None:
    acts = (
        ran("press --slow"),
        edited("src/mill.py"),
        failed("ruff check", rules=(("DTZ005", "now"),)),
        ran("git commit -m x"),
    )
    digest = session(
        *acts,
        name="s1",
        day=10,
        prompts=(said("Press the apples", 10),),
        files=(Touched("docs/press.md", 1, 0), Touched("src/mill.py", 0, 1)),
    )
    assert came([digest], [told("s1")], note(triggers=(trigger,))) == [Came.CAME]
    assert came([talk(name="s1", day=10)], [told("s1")], note(triggers=(trigger,))) == [Came.NOT]


def test_what_happened_before_the_note_was_told_is_not_its_moment() -> None:
    whole = pressing()
    dated = msgspec.structs.replace(whole, steps=(whole.steps[0]._replace(at_s=30),))
    assert came([dated], [told("s1", day=10 + 29 / 86_400)]) == [Came.CAME]
    assert came([dated], [told("s1", day=10 + 32 / 86_400)]) == [Came.NOT]


@pytest.mark.parametrize(("moment", "act"), [(AFTER, ""), (AFTER, ACTIVITY)])
def test_a_note_that_was_told_at_its_moment_is_not_counted(moment: str, act: str) -> None:
    assert came([pressing()], [told("s1", moment=moment, act=act)]) == [Came.THERE]


def test_a_topic_that_a_prompt_named_is_its_moment() -> None:
    topical = note(triggers=(Trigger(topic=("appl", "pres")),))
    asked = talk("Press the apples", name="s1", day=10)
    assert came([asked], [told("s1", day=10.1, moment=PROMPT)], topical) == [Came.THERE]


def test_a_note_that_waits_for_nothing_cannot_be_counted() -> None:
    assert came([pressing()], [told("s1")], note(triggers=())) == [Came.ANYTIME]


def test_what_is_not_learned_or_no_longer_there_is_said_to_be_so() -> None:
    assert came([], [told("s1")]) == [Came.UNREAD]
    assert came([pressing()], [told("s1", item="gone")]) == [Came.GONE]


def test_a_note_counts_once_in_a_session_from_the_first_time_on() -> None:
    again = [told("s1", day=10), told("s1", day=10.5, moment=AFTER), told("s2")]
    assert [(row.session, row.moment) for row in rows([pressing()], again)] == [
        ("s1", Came.CAME),
        ("s2", Came.UNREAD),
    ]


def test_a_run_of_the_server_that_is_no_session_is_left_out() -> None:
    assert rows([], [told("mcp-1234")]) == []


def test_what_a_subagent_was_told_is_looked_for_in_subagents() -> None:
    below = pressing(relation="subagent", parent="s0")
    to_subagent = told("s0", is_subagent=True)
    assert came([below], [to_subagent]) == [Came.CAME]
    assert came([below], [told("s0")]) == [Came.UNREAD]
    assert came([below, talk(name="s0/2", relation="subagent", parent="s0")], [to_subagent]) == [Came.CAME]


def test_the_share_is_of_what_was_told_ahead_and_can_be_looked_for() -> None:
    kinds = [Came.CAME] * 3 + [Came.NOT] + [Came.THERE] * 2 + [Came.ANYTIME, Came.UNREAD]
    told_at = ["start", "start", "prompt", "prompt", AFTER, AFTER, "start", "start"]
    counted = [
        MomentOfNote(day_ms(at), f"s{at}", "codex", "n1", when, kind)
        for at, (kind, when) in enumerate(zip(kinds, told_at, strict=True))
    ]
    figure = hit_rate(counted)
    assert (figure.told, figure.sessions, figure.used, figure.available, figure.share) == (8, 8, 3, 4, 0.75)
    assert figure.by_telling == {AFTER: (0, 0), "prompt": (1, 2), "start": (2, 2)}
    assert figure.by_moment[Came.THERE] == 2
    assert [round(bound, 3) for bound in figure.interval] == [0.301, 0.954]


def test_nothing_told_is_no_share() -> None:
    assert (hit_rate([]).told, hit_rate([]).share) == (0, None)


def test_a_share_of_a_handful_is_left_out() -> None:
    assert shared(2, 3, (0.2, 0.9)) == "2 of 3 (too few for a share)"
    assert shared(3, 10, (0.1, 0.6)) == "3 of 10 (30 %; 95 % interval 10 to 60 %)"
