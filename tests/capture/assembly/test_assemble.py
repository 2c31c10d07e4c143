from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.thoroughness import examples

from afterwit.capture.assembly import assemble, notes
from afterwit.capture.assembly.assemble import Assembler
from afterwit.capture.assembly.parts import decode_resume, merge_spends
from afterwit.capture.assembly.texts import AssemblyContext
from afterwit.model.captured import ActionRow, Captured, EventRow, PartFacts, SpendRow, key_of
from afterwit.model.kinds import EventKind, NoteKind, RecordedEnd, Relation, Status
from afterwit.model.readings import Event, Facts, Problem, Reading, Result, Spend, Usage
from afterwit.redaction.redaction import Redactor

TOKEN = "ghp" + "_" + "q7Rk2ZsV9xLm4TnB8wYc1JdF6hGp3KaE5uXi"
SPLIT_CONTEXT = AssemblyContext(redactor=Redactor(b"k" * 32))


def event(kind: EventKind, offset: int = 0, session: str = "s", **fields: Any) -> Event:
    return Event(session=session, kind=kind, offset=offset, length=10, **fields)


def prompt(key: str = "", offset: int = 0, text: str = "do it", **fields: Any) -> Event:
    return event(EventKind.PROMPT, offset, key=key, text=text, **fields)


def call(call_id: str = "c1", offset: int = 10, **fields: Any) -> Event:
    given = {"key": f"call:{call_id}", "tool": "Bash", "arguments": {"command": "make"}, "at_ms": 1_000}
    return event(EventKind.CALL, offset, call_id=call_id, **{**given, **fields})


def result(call_id: str = "c1", offset: int = 20, exit_code: int | None = 0, **fields: Any) -> Event:
    given = {"key": f"result:{call_id}", "result": Result(exit_code=exit_code), "at_ms": 1_300}
    return event(EventKind.RESULT, offset, call_id=call_id, **{**given, **fields})


def spend(key: str = "r1", session: str = "s", at_ms: int | None = None, **figures: int) -> Spend:
    return Spend(session=session, key=key, model="model-a", usage=Usage(**figures), at_ms=at_ms)


def assembled(
    context: AssemblyContext, readings: Iterable[Reading], copied: Iterable[int] = (), resume: bytes | None = None
) -> Captured:
    assembler = Assembler(context, frozenset(copied), resume)
    assembler.take(readings)
    return assembler.captured()


def test_a_call_is_joined_with_its_result(context: AssemblyContext) -> None:
    found = assembled(context, [prompt("p1"), call(), result(exit_code=2)])
    (action,) = found.actions
    assert (action.status, action.exit_code, action.duration_ms) == (Status.FAILED, 2, 300)
    assert (action.offset, action.result_offset) == (10, 20)
    assert [row.kind for row in found.events] == ["prompt", "call", "result"]
    assert [row.ordinal for row in found.events] == [0, 1, 2]


def test_a_recorded_end_is_taken_back_by_what_happens_later(context: AssemblyContext) -> None:
    told: list[Event | Spend | Facts | Problem] = [prompt("p1"), Facts(session="s", end=RecordedEnd.DONE)]
    assert assembled(context, told).parts[0].end == "done"
    assert assembled(context, [*told, event(EventKind.NOTICE, 20, text="bye")]).parts[0].end == "done"
    assert assembled(context, [*told, prompt("p2", 20)]).parts[0].end == ""


def test_the_last_reply_to_each_prompt_is_kept(context: AssemblyContext) -> None:
    replies = [event(EventKind.REPLY, 5, text="I look"), event(EventKind.REPLY, 6, text="Pruned. " * 300 + "The end.")]
    found = assembled(context, [prompt("p1"), *replies, prompt("p2", 20), event(EventKind.REPLY, 30, text="Fine.")])
    first, second = (row.text for row in found.notes if row.kind is NoteKind.REPORT)
    assert first.startswith("Pruned. ")
    assert first.endswith("The end.")
    assert len(first) <= 2 * notes.REPORT_LIMIT + 1
    assert second == "Fine."


def test_a_result_may_come_before_its_call(context: AssemblyContext) -> None:
    found = assembled(context, [prompt("p1"), result(exit_code=2), call()])
    (action,) = found.actions
    assert (action.status, action.result_offset) == (Status.FAILED, 20)


def test_a_result_without_a_call_is_an_event_and_nothing_more(context: AssemblyContext) -> None:
    found = assembled(context, [prompt("p1"), result("nobody")])
    assert found.actions == []
    assert len(found.events) == 2
    assert found.parts[0].calls == 0


def test_results_without_calls_do_not_pile_up(context: AssemblyContext) -> None:
    few = assembled(context, [result(f"nobody {number}", text="x" * 9_000) for number in range(40)])
    many = assembled(context, [result(f"nobody {number}", text="x" * 9_000) for number in range(400)])
    assert len(many.resume) < len(few.resume) + 100
    last = assembled(context, [call("nobody 399")], resume=many.resume)
    assert last.actions[0].status is Status.SUCCEEDED


def test_an_open_call_is_unknown_until_its_result_is_read(context: AssemblyContext) -> None:
    first = assembled(context, [prompt("p1"), call()])
    assert first.actions[0].status is Status.UNKNOWN
    second = assembled(context, [result(exit_code=0)], resume=first.resume)
    (action,) = second.actions
    assert (action.part, action.ordinal, action.status) == (0, 0, Status.SUCCEEDED)


def test_sessions_in_one_file_do_not_answer_each_others_calls(context: AssemblyContext) -> None:
    readings = [
        call("same", session="a", key="a1"),
        call("same", session="b", key="b1"),
        result("same", session="a", exit_code=0),
        result("same", session="b", exit_code=2),
    ]
    found = assembled(context, readings)
    assert {(row.part, row.status) for row in found.actions} == {(0, Status.SUCCEEDED), (1, Status.FAILED)}


def test_a_record_that_occurs_twice_in_a_file_counts_once(context: AssemblyContext) -> None:
    once = [prompt("p1"), event(EventKind.REPLY, 5), call(), result(exit_code=2)]
    found = assembled(context, [*once, *once])
    part = found.parts[0]
    assert (part.prompts, part.replies, part.calls, part.events, part.copied) == (1, 1, 1, 8, 4)
    assert [row.is_copied for row in found.events] == [False] * 4 + [True] * 4
    assert len(found.actions) == 1


def test_a_record_that_another_part_owns_counts_for_nothing_here(context: AssemblyContext) -> None:
    readings: list[Reading] = [
        prompt("p1", at_ms=5),
        event(EventKind.REPLY, 5),
        call(),
        result(),
        prompt("p2", at_ms=9),
        spend("r1"),
    ]
    found = assembled(context, readings, copied=[key_of("p1"), key_of("call:c1"), key_of("spend:r1")])
    part = found.parts[0]
    assert (part.prompts, part.replies, part.calls, part.copied) == (1, 0, 0, 4)
    assert (part.first_ms, part.started_ms) == (5, 9)
    assert (found.actions, found.spends) == ([], [])


def test_what_is_claimed_includes_what_others_own(context: AssemblyContext) -> None:
    readings: list[Reading] = [prompt("p1"), call(), spend("r1"), prompt("p1")]
    found = assembled(context, readings, copied=[key_of("p1")])
    expected = [key_of("p1"), key_of("call:c1"), key_of("spend:r1")]
    assert found.claims == [expected]
    assert decode_resume(found.resume).keys == {"s": expected}


def test_copied_keys_are_remembered_between_runs(context: AssemblyContext) -> None:
    first = assembled(context, [prompt("p0")], copied=[key_of("p1")])
    second = assembled(context, [prompt("p1")], resume=first.resume)
    assert second.events[0].is_copied


def test_records_without_keys_are_told_apart_and_recognised_when_read_again(context: AssemblyContext) -> None:
    readings = [prompt(text="again"), prompt(text="again"), call(key="", arguments={"command": "a"})]
    found = assembled(context, readings)
    assert (found.parts[0].prompts, found.parts[0].calls, found.parts[0].copied) == (2, 1, 0)
    assert decode_resume(found.resume).keys == decode_resume(assembled(context, readings).resume).keys
    other = assembled(context, [*readings[:2], call(key="", arguments={"command": "b"})])
    assert decode_resume(found.resume).keys["s"][:2] == decode_resume(other.resume).keys["s"][:2]
    assert decode_resume(found.resume).keys["s"][2] != decode_resume(other.resume).keys["s"][2]


def test_records_without_keys_have_the_same_identity_on_every_machine(context: AssemblyContext) -> None:
    elsewhere = AssemblyContext(redactor=Redactor(b"another key, another machine...."))
    readings = [prompt(text="hello", session=f"session-{TOKEN}")]
    (here,) = decode_resume(assembled(context, readings).resume).keys.values()
    (there,) = decode_resume(assembled(elsewhere, readings).resume).keys.values()
    assert here == there


def test_one_response_read_twice_counts_by_its_largest_figures(context: AssemblyContext) -> None:
    found = assembled(context, [spend(at_ms=9, input=5, output=1), spend(at_ms=3, input=4, output=8)])
    (row,) = found.spends
    assert (row.input, row.output, row.at_ms) == (5, 8, 3)


def test_a_response_belongs_to_the_session_that_had_it_first(context: AssemblyContext) -> None:
    found = assembled(context, [spend("r1", session="a", input=5), spend("r1", session="b", input=9)])
    assert [(row.part, row.input) for row in found.spends] == [(0, 5)]


def test_absurd_figures_fit_a_row(context: AssemblyContext) -> None:
    found = assembled(context, [spend(input=10**30, output=-5)])
    assert 0 < found.spends[0].input < 2**63
    assert found.spends[0].output == 0


def test_facts_are_taken_from_the_first_that_says_something(context: AssemblyContext) -> None:
    readings = [
        Facts(session="s", at_ms=50, branch="main"),
        Facts(session="s", cwd="/srv/work/app", version="1.0", branch="other", parent="p", relation=Relation.FORK),
        Facts(session="s", cwd="/srv/elsewhere", version="2.0", origin="cli", relation=Relation.RESUME),
        Facts(session="s", version="1.0", provider="some"),
    ]
    part = assembled(context, readings).parts[0]
    assert (part.cwd, part.branch, part.parent, part.relation) == ("/srv/work/app", "main", "p", "fork")
    assert (part.versions, part.origin, part.provider, part.first_ms) == (["1.0", "2.0"], "cli", "some", 50)


def test_the_latest_title_counts_unless_one_was_given_by_hand(context: AssemblyContext) -> None:
    titles = [("a", False), ("b", False), ("by hand", True), ("c", False), ("", True)]
    readings = [Facts(session="s", title=title, is_title_manual=manual) for title, manual in titles]
    assert assembled(context, readings[:2]).parts[0].title == "b"
    assert assembled(context, readings).parts[0].title == "by hand"


def test_a_second_title_given_by_hand_replaces_the_first(context: AssemblyContext) -> None:
    readings = [Facts(session="s", title=title, is_title_manual=True) for title in ("Prune", "Prune in March")]
    assert assembled(context, readings).parts[0].title == "Prune in March"


def test_a_version_with_something_redacted_in_it_is_noted_once(context: AssemblyContext) -> None:
    part = assembled(context, [Facts(session="s", version=f"1.0 {TOKEN}")] * 3).parts[0]
    assert len(part.versions) == 1


@pytest.mark.parametrize(
    ("cwd", "user"),
    [("/srv/app", ""), ("/", ""), ("C:\\work", ""), ("/root/app", "root"), ("/home/runner/app", "runner")],
)
def test_a_session_outside_of_homes_belongs_to_nobody(context: AssemblyContext, cwd: str, user: str) -> None:
    assert assembled(context, [Facts(session="s", cwd=cwd)]).parts[0].user == user


def test_a_user_goes_by_a_pseudonym_or_by_the_name_people_chose(redactor: Redactor) -> None:
    facts = [Facts(session="s", cwd="/home/marlene/app")]
    plain = assembled(AssemblyContext(redactor=redactor), facts).parts[0]
    assert plain.user.startswith("‹user:")
    assert "marlene" not in plain.cwd + plain.root
    named = AssemblyContext(redactor=redactor, user_names={"marlene": "m"})
    assert assembled(named, facts).parts[0].user == "m"


def test_the_place_of_a_session_is_known_as_it_is_until_the_run_ends(context: AssemblyContext) -> None:
    assembler = Assembler(context)
    assembler.take([Facts(session="s", cwd="/home/marlene/app")])
    part = assembler.captured().parts[0]
    assert assembler.places == {part.root: "/home/marlene/app"}


def test_a_file_without_readings_has_no_parts(context: AssemblyContext) -> None:
    found = assembled(context, [])
    assert (found.parts, found.events, found.claims) == ([], [], [])
    assert decode_resume(found.resume).keys == {}


def test_a_part_of_which_only_facts_are_known_is_empty(context: AssemblyContext) -> None:
    found = assembled(context, [Facts(session="s", title="named"), event(EventKind.NOTICE)])
    assert found.parts[0].is_empty
    assert not assembled(context, [event(EventKind.REPLY)]).parts[0].is_empty


def test_events_beyond_what_a_part_can_hold_become_problems(
    context: AssemblyContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(assemble, "ORDINAL_BITS", 1)
    found = assembled(context, [prompt(f"p{number}", offset=number) for number in range(4)])
    assert [row.ordinal for row in found.events] == [0, 1]
    assert [row.offset for row in found.problems] == [2, 3]


def test_a_file_full_of_damage_does_not_fill_the_table(context: AssemblyContext) -> None:
    found = assembled(context, [Problem(offset=n, length=1, reason="odd") for n in range(1_500)])
    assert len(found.problems) == 1_001
    assert found.problems[-1].reason == "further problems of this file are not listed"


def test_long_texts_are_bounded(context: AssemblyContext) -> None:
    long = "word " * 100_000
    readings: list[Reading] = [
        prompt("p1", text=long),
        Facts(session="s", title=long, branch=long, cwd=f"/srv/{long}", version=long),
    ]
    found = assembled(context, readings)
    assert len(msgspec.msgpack.encode(found)) < 200_000


def secrets_everywhere() -> list[Reading]:
    """A secret in every field that holds text, of every kind of reading."""
    names = ("key", "text", "call_id", "tool")
    events: list[Reading] = []
    for kind in EventKind:
        for number, name in enumerate(names):
            given: dict[str, Any] = {
                name: f"{name} password={TOKEN}",
                "arguments": {"command": f"curl -H {TOKEN}", TOKEN: [TOKEN]},
            }
            base = {"call_id": f"{kind}{number}", "result": Result(is_error=True), **given}
            events.append(event(kind, session=f"session {TOKEN}", **base))
    failing = f"error: cannot use {TOKEN}\n" * 3
    calls: list[Reading] = [
        call(TOKEN, tool=f"mcp__{TOKEN}__x", arguments={"command": f"echo {TOKEN}"}, key=TOKEN),
        result(TOKEN, exit_code=1, text=failing),
        call(f"open {TOKEN}", key="open"),
        result(f"early {TOKEN}", exit_code=1, text=failing),
        call("settled", key="settled"),
        result("settled", exit_code=1, text=failing),
    ]
    texts = ("cwd", "branch", "remote", "version", "title", "parent", "parent_call", "origin", "provider")
    facts = [Facts(session=TOKEN, **{name: f"/srv/{name}/{TOKEN}"}) for name in texts]  # type: ignore[arg-type]
    home = Facts(session="home", cwd=f"/home/{TOKEN}/app", remote=f"https://x:{TOKEN}@host.example/o/r.git")
    rest: list[Reading] = [
        Spend(session=TOKEN, key=TOKEN, model=f"model {TOKEN}", usage=Usage()),
        Problem(offset=0, length=1, reason=f"odd: {TOKEN}"),
    ]
    return [*events, *calls, *facts, home, *rest]


@pytest.mark.parametrize("secret", [TOKEN, "AKIA" + "Q3EGRNHX7MWZT2VB"])
def test_no_field_of_any_reading_carries_a_secret_into_a_row(context: AssemblyContext, secret: str) -> None:
    readings = msgspec.json.decode(msgspec.json.encode(secrets_everywhere()).replace(TOKEN.encode(), secret.encode()))
    planted = [
        msgspec.convert(given, type(reading)) for given, reading in zip(readings, secrets_everywhere(), strict=True)
    ]
    for size in (1, 5, len(planted)):
        resume = None
        for at in range(0, len(planted), size):
            found = assembled(context, planted[at : at + size], resume=resume)
            resume = found.resume
            has_leaked = secret.encode() in msgspec.msgpack.encode(found) or secret.encode() in found.resume
            assert not has_leaked


ids = st.sampled_from(["a", "b", "c"])
times = st.none() | st.integers(1_000, 1_009)
sessions = st.sampled_from(["s", "t"])
readings_of_any_kind = st.one_of(
    st.builds(prompt, st.sampled_from(["", "p1", "p2", "p3"]), text=ids, session=sessions, at_ms=times),
    st.builds(call, ids, session=sessions, key=st.sampled_from(["", "k1", "k2"]), at_ms=times),
    st.builds(
        result, ids, session=sessions, exit_code=st.sampled_from([0, 1, None]), at_ms=times, text=st.just("error: x")
    ),
    st.builds(event, st.sampled_from([EventKind.REPLY, EventKind.NOTICE, EventKind.COMPACTION]), session=sessions),
    st.builds(spend, st.sampled_from(["r1", "r2"]), session=sessions, at_ms=times, input=st.integers(0, 5)),
    st.builds(Facts, session=sessions, title=ids, is_title_manual=st.booleans(), at_ms=times, version=ids),
    st.builds(Problem, offset=st.integers(0, 99), length=st.just(1), reason=ids),
)


class Joined(msgspec.Struct):
    """What the store makes of several runs over one file."""

    parts: list[PartFacts]
    events: list[EventRow]
    actions: dict[tuple[int, int], ActionRow]
    spends: dict[tuple[int, int], SpendRow]
    problems: list[Problem]
    claims: dict[int, list[int]]
    resume: bytes


def joined(runs: Sequence[Captured]) -> Joined:
    whole = Joined(runs[-1].parts, [], {}, {}, [], {}, runs[-1].resume)
    for run in runs:
        whole.events += run.events
        whole.problems += run.problems
        whole.actions.update({(row.part, row.ordinal): row for row in run.actions})
        for row in run.spends:
            before = whole.spends.get((row.part, row.key))
            whole.spends[row.part, row.key] = merge_spends(before, row) if before else row
        for number, keys in enumerate(run.claims):
            whole.claims.setdefault(number, []).extend(keys)
    return whole


@given(st.lists(readings_of_any_kind, max_size=14), st.data())
@settings(max_examples=examples(120), deadline=None)
def test_any_split_into_runs_gives_the_rows_of_the_whole(readings: list[Reading], data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(readings)), max_size=4)))
    copied = [key_of("p2"), key_of("k2")]
    runs: list[Captured] = []
    resume = None
    for start, stop in zip([0, *cuts], [*cuts, len(readings)], strict=True):
        runs.append(assembled(SPLIT_CONTEXT, readings[start:stop], () if resume else copied, resume))
        resume = runs[-1].resume
    assert joined(runs) == joined([assembled(SPLIT_CONTEXT, readings, copied)])


def test_of_the_replies_before_a_prompt_the_last_is_noted(context: AssemblyContext) -> None:
    reply = EventKind.REPLY
    told = [prompt("p1"), event(reply, 5, text="Looking."), event(reply, 6, text="Oak or walnut?"), prompt("p2")]
    found = assembled(context, [*told, event(reply, 9, text="Done.")])
    assert [note.text for note in found.notes if note.kind is NoteKind.REPORT] == ["Oak or walnut?", "Done."]


@pytest.mark.parametrize("kinds", [("reply", "reply"), ("prompt", "notice"), ("compaction", "compaction")])
@pytest.mark.parametrize("before", [0, 255])
def test_a_secret_in_two_pieces_of_a_message_is_in_no_row(
    context: AssemblyContext, kinds: tuple[str, str], before: int
) -> None:
    token = "ghp" + "_" + "q7Rk2ZsV9xLm4TnB8wYc1JdF6hGp3KaE5uXi"
    first, second = f"use {token[:20]}", f"{token[20:]} and go on"
    readings: list[Reading] = [
        *(event(EventKind.NOTICE, offset) for offset in range(before)),
        event(EventKind(kinds[0]), before, text=first),
        spend(),
        event(EventKind(kinds[1]), before + 1, text=second),
    ]
    rows = msgspec.json.encode(assembled(context, readings)).decode()
    assert token[:20] not in rows
    assert token[20:] not in rows
