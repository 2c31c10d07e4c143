"""Uses of skills are found whatever the agent calls them; work on a skill is no use of it."""

from typing import Any

from tests.every import for_every
from tests.harvest.talks import MAY_MS, talk

from afterwit.extras.lab.skills.moments import Invocation, invocations
from afterwit.model.digest import Digest, Said
from afterwit.model.kinds import ActionKind, Status, Step

PRESS = "/home/ann/.agents/skills/press/SKILL.md"
PLUGIN = "/home/ann/.codex/plugins/cache/fruit/cider/2.1.0/skills/ferment/SKILL.md"


def step(kind: ActionKind, tool: str, target: str, status: Status = Status.SUCCEEDED, **more: Any) -> Step:
    return Step(kind, tool, target, status, **more)


def shell(line: str, **more: Any) -> Step:
    return step(ActionKind.SHELL, "exec_command", line, **more)


def used(*steps: Step, **more: Any) -> list[Invocation]:
    return invocations(session(*steps, **more))


def session(*steps: Step, **more: Any) -> Digest:
    return talk(steps=steps, **more)


@for_every(
    "call",
    [
        step(ActionKind.SKILL, "Skill", "press"),
        step(ActionKind.SKILL, "skill_view", "press"),
        step(ActionKind.READ, "Read", PRESS),
        step(ActionKind.READ, "Read", r"C:\Users\ann\.claude\skills\press\SKILL.md"),
        shell(f"sed -n '1,240p' {PRESS}"),
        shell(f"cat {PRESS} | head -50"),
        shell("cd ~/.agents/skills/press && cat SKILL.md"),
        shell(f"cat {PRESS}", status=Status.UNKNOWN),
    ],
)
def test_every_way_to_load_a_skill_is_a_use(call: Step) -> None:
    assert used(shell("ls"), call) == [Invocation("press", "", 1)]


@for_every(
    "call",
    [
        step(ActionKind.SKILL, "Skill", "press", Status.FAILED),
        step(ActionKind.SKILL, "Skill", "press", Status.DENIED),
        step(ActionKind.SKILL, "skills_list", "press"),
        step(ActionKind.SKILL, "skill_manage", "press"),
        step(ActionKind.SKILL, "Skill", "always run this before every commit"),
        step(ActionKind.READ, "Read", "/home/ann/src/orchard/skills/press/SKILL.md"),
        step(ActionKind.SEARCH, "Grep", PRESS),
        shell(f"ls {PRESS}"),
        shell(f"sed -i s/a/b/ {PRESS}"),
        shell(f"git commit -m 'Change {PRESS}'"),
    ],
)
def test_what_loads_no_skill_is_none(call: Step) -> None:
    assert used(call) == []


def test_a_plugin_tells_its_name_and_its_version() -> None:
    assert used(shell(f"sed -n '1,240p' {PLUGIN}")) == [Invocation("cider:ferment", "2.1.0", 0)]


def test_reading_a_skill_in_a_session_that_changes_it_is_work_on_it() -> None:
    edit = step(ActionKind.EDIT, "Edit", PRESS, files=(".agents/skills/press/SKILL.md",))
    assert used(shell(f"cat {PRESS}"), edit) == []


def test_pieces_of_one_file_are_one_use_and_a_later_call_is_another() -> None:
    pieces = (shell(f"sed -n '1,240p' {PRESS}"), shell(f"sed -n '1,90p' {PLUGIN}"), shell(f"sed -n '241,500p' {PRESS}"))
    uses = used(*pieces, shell("make"), shell(f"cat {PRESS}"))
    assert [(use.name, use.at) for use in uses] == [("press", 0), ("cider:ferment", 1), ("press", 4)]


def test_one_command_can_load_several_skills() -> None:
    assert [use.name for use in used(shell(f"cat {PRESS} {PLUGIN}"))] == ["press", "cider:ferment"]


def test_a_command_that_a_person_types_counts_from_the_next_action_on() -> None:
    prompts = (Said(text="/press the apples", at_ms=MAY_MS + 15_000), Said(text="/clear", at_ms=MAY_MS + 16_000))
    (use,) = used(shell("ls", at_s=10), shell("make", at_s=20), prompts=prompts)
    assert (use.name, use.at, use.next_step) == ("press", 1, 1)


def test_a_skill_that_a_person_calls_is_known_from_the_notice_of_the_client() -> None:
    called = (Said(text="press", at_ms=MAY_MS + 15_000), Said(text=PLUGIN, at_ms=MAY_MS + 25_000))
    uses = used(shell("ls", at_s=10), shell("make", at_s=20), shell("ls", at_s=30), called=called)
    assert [(use.name, use.version, use.next_step) for use in uses] == [("press", "", 1), ("cider:ferment", "2.1.0", 2)]


def test_a_skill_that_is_called_and_then_loaded_is_one_use() -> None:
    called = (Said(text=PRESS, at_ms=MAY_MS + 15_000),)
    (use,) = used(shell("ls", at_s=10), shell(f"cat {PRESS}", at_s=20), shell("make", at_s=30), called=called)
    assert (use.at, use.is_typed) == (1, True)


def test_a_path_that_a_person_types_is_no_command() -> None:
    assert used(shell("ls", at_s=10), prompts=(Said(text="/home/ann is full", at_ms=MAY_MS),)) == []
