"""Sessions that bring work out in the same order become one note with the steps."""

from tests.harvest.talks import concluded, sentences
from tests.harvest.work import Act, edited, failed, ran, session

from afterwit.harvest.procedures import Procedures
from afterwit.knowledge.gate import rejection

TEST, BUILD, PUSH = ran("make test"), ran("make build"), ran("git push origin main")
HOOK = ran("curl -s -X POST https://deploy.example/hooks/orchard/deploy -d '{}'")


def told(*sessions: tuple[Act, ...]) -> list[str]:
    days = [session(*acts, day=day) for day, acts in enumerate(sessions)]
    return sentences(concluded(Procedures(), days))


def test_four_sessions_of_test_build_push_and_webhook_become_one_note_with_the_steps_in_order() -> None:
    plain = (edited("press.py"), TEST, BUILD, PUSH, HOOK)
    with_more = (TEST, failed("make build"), edited("press.py"), TEST, BUILD, ran("ls"), PUSH, ran("make lint"), HOOK)
    assert told(plain, plain, with_more, plain) == [
        "Work goes out here in this order: `make test`, then `make build`, then `git push`, then `curl …/deploy`."
    ]


def test_a_task_of_the_project_delivers_too() -> None:
    acts = (TEST, PUSH, ran("make deploy"))
    assert told(acts, acts, acts) == [
        "Work goes out here in this order: `make test`, then `git push`, then `make deploy`."
    ]


def test_sessions_that_keep_no_order_show_no_procedure() -> None:
    assert told((TEST, BUILD, PUSH, HOOK), (BUILD, TEST, PUSH, HOOK), (PUSH, BUILD, TEST, HOOK)) == []


def test_two_steps_are_no_procedure_and_pushing_alone_delivers_nothing() -> None:
    assert told(*[(PUSH, HOOK)] * 4) == []
    assert told(*[(TEST, BUILD, PUSH)] * 4) == []


def test_what_failed_is_no_step() -> None:
    broken = failed("curl -s -X POST https://deploy.example/hooks/orchard/deploy -d '{}'", says="HTTP 500")
    assert told(*[(TEST, BUILD, PUSH, broken)] * 4) == []


def test_the_gate_lets_it_through() -> None:
    days = [session(TEST, BUILD, PUSH, HOOK, day=day) for day in range(4)]
    (draft,) = concluded(Procedures(), days)
    assert not rejection(draft)
    assert len(draft.evidence) == 4
