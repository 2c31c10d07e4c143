"""Which actions of a session are kept as an example: pure, on steps written by hand."""

from afterwit.extras.lab.templates.create import PathStep, verified_path
from afterwit.model.kinds import ActionKind, Lean, Status, Step


def shell(line: str, status: Status = Status.SUCCEEDED, lean: Lean | None = None, result: str = "") -> PathStep:
    return PathStep(Step(ActionKind.SHELL, "Bash", line, status, lean), result)


def looked(path: str, result: str = "") -> PathStep:
    return PathStep(Step(ActionKind.READ, "Read", path, Status.SUCCEEDED), result)


def changed(path: str, status: Status = Status.SUCCEEDED) -> PathStep:
    files = (path,) if status is Status.SUCCEEDED else ()
    return PathStep(Step(ActionKind.EDIT, "Edit", path, status, files=files), "")


def test_the_look_the_change_the_check_and_the_commit_stay_in_their_order() -> None:
    steps = [looked("src/a.py"), changed("src/a.py"), shell("pytest -q"), shell("git commit -m x")]
    assert verified_path(steps, 10) == [0, 1, 2, 3]


def test_what_did_not_certainly_succeed_is_left_out() -> None:
    steps = [
        changed("src/a.py", Status.FAILED),
        shell("make count", Status.DENIED),
        shell("make trees", Status.UNKNOWN, Lean.FINE),
        shell("make rows", Status.CANCELLED),
        changed("src/a.py"),
        shell("pytest -q"),
    ]
    assert verified_path(steps, 10) == [4, 5]


def test_plans_subagents_and_polls_are_no_examples() -> None:
    plan = PathStep(Step(ActionKind.PLAN, "TodoWrite", "", Status.SUCCEEDED), "")
    subagent = PathStep(Step(ActionKind.DELEGATE, "Task", "look", Status.SUCCEEDED), "")
    poll = PathStep(Step(ActionKind.SHELL, "BashOutput", "1", Status.SUCCEEDED, started_by=3), "")
    steps = [plan, subagent, changed("src/a.py"), shell("pytest -q"), poll]
    assert verified_path(steps, 10) == [2, 3]


def test_a_look_that_led_to_no_change_is_a_dead_end() -> None:
    steps = [looked("README.md"), shell("ls docs"), looked("src/a.py"), changed("src/a.py"), shell("pytest -q")]
    assert verified_path(steps, 10) == [2, 3, 4]


def test_the_search_that_showed_the_file_leads_to_its_change() -> None:
    steps = [shell("rg prune", result="src/a.py:1: prune"), changed("src/a.py")]
    assert verified_path(steps, 10) == [0, 1]


def test_without_a_change_the_looks_are_the_work() -> None:
    steps = [looked("README.md"), shell("git log --oneline")]
    assert verified_path(steps, 10) == [0, 1]


def test_changes_that_were_taken_back_are_dead_ends() -> None:
    steps = [changed("src/a.py"), changed("src/b.py"), shell("git checkout -- src/a.py"), shell("pytest -q")]
    assert verified_path(steps, 10) == [1, 3]
    assert verified_path([changed("src/a.py"), shell("git reset --hard"), shell("pytest -q")], 10) == [2]
    assert verified_path([changed("src/new.py"), shell("rm src/new.py"), shell("pytest -q")], 10) == [2]


def test_what_was_committed_is_not_taken_back_by_a_later_restore() -> None:
    steps = [changed("src/a.py"), shell("git commit -m x"), changed("src/b.py"), shell("git restore .")]
    assert verified_path(steps, 10) == [0, 1]


def test_files_elsewhere_are_no_examples_beside_files_of_the_repository() -> None:
    steps = [changed("/home/ada/.plans/plan.md"), changed("src/a.py"), shell("pytest -q")]
    assert verified_path(steps, 10) == [1, 2]


def test_a_command_that_ran_again_counts_once_and_the_last_change_of_a_file_stays() -> None:
    steps = [changed("src/a.py"), shell("make trees"), changed("src/a.py"), shell("make trees"), shell("pytest -q")]
    assert verified_path(steps, 10) == [2, 3, 4]


def test_of_many_the_check_the_commit_and_the_centre_of_the_work_stay() -> None:
    paths = ["src/a.py", "src/b.py", "src/a.py", "src/c.py", "src/a.py"]
    steps = [*map(changed, paths), shell("make trees"), shell("pytest -q"), shell("git commit -m x")]
    assert verified_path(steps, 3) == [4, 6, 7]


def test_an_answer_that_found_nothing_and_what_tells_of_failures_behind_a_wrapper_are_no_examples() -> None:
    nothing = PathStep(Step(ActionKind.SHELL, "Bash", "grep -r pears .", Status.SUCCEEDED, exit_code=1), "")
    output = "FAILED tests/test_a.py::test_it - assert 1 == 2\n2 failed, 7 passed"
    hidden = [shell("rtk pytest", result=output), shell("rtk git commit -m x", result=f"ok\n{output}")]
    steps = [nothing, changed("src/a.py"), *hidden, shell("pytest -q", result="9 passed")]
    assert verified_path(steps, 10) == [1, 4]


def test_of_three_tasks_in_one_session_the_first_is_shown() -> None:
    tasks = [(changed(f"src/{name}.py"), shell("pytest -q"), shell(f"git commit -m {name}")) for name in "abc"]
    assert verified_path([step for task in tasks for step in task], 10) == [0, 1, 2]


def test_what_publishes_is_no_example() -> None:
    comment = PathStep(Step(ActionKind.MCP, "mcp", "github/add_issue_comment", Status.SUCCEEDED), "")
    sent = [shell("git push"), shell("gh pr comment 3 -b ready"), shell("git commit -m x && git push"), comment]
    assert verified_path([changed("src/a.py"), shell("pytest -q"), *sent], 10) == [0, 1]


def test_a_path_outside_the_repository_is_no_example() -> None:
    outside = [
        shell("find .. -name '*.py'")._replace(paths=("..",)),
        looked("~/notes.md")._replace(paths=("~/notes.md",)),
        changed("/srv/barn/b.py"),
    ]
    inside = shell("ls src")._replace(paths=("ls", "src"))
    assert verified_path([*outside, changed("src/a.py"), shell("pytest -q")], 10) == [3, 4]
    assert verified_path([*outside, inside], 10) == [3]


def test_a_check_that_checked_nothing_is_no_check() -> None:
    idle = [shell("pytest --collect-only"), shell("pytest -q", result="no tests ran in 0.01s")]
    steps = [changed("src/a.py"), shell("ruff check", result="All checks passed!"), *idle]
    assert [step.is_check for step in steps] == [False, True, False, False]
