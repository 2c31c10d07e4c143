"""Checks that are on, as an agent meets them: a call is refused once, with a sentence, and passes when repeated."""

from typing import Any

import pytest
from tests.recall.hook.conftest import REPO, Answered, Hook
from tests.recall.hook.test_entry import HEAVY, loaded

from afterwit.knowledge.check_forms import check_from
from afterwit.recall.deck.deck_checks import DeckedCheck
from afterwit.redaction.markers import is_refusal

PUSH = "never run git push unless asked"
LINT = "before git commit: make lint"
MADE = "never edit src/made/**"
SCHEMA = "after schema.prisma: npx prisma generate"
TRAILER = "never write Signed-off-by in a commit message"
LOGS = 'never write "console.log(" in src/**'
PNPM = "pnpm instead of npm"


def turn_on(hook: Hook, *typed: str, is_strict: bool = False, repo: str = REPO, **settings: Any) -> None:
    hook.compile(checks=[DeckedCheck(check_from(text, repo=repo), repo, is_strict) for text in typed], **settings)


def reason(answered: Answered) -> str:
    """Why a call was refused; "" where it passes."""
    assert (answered.code, answered.stderr) == (0, "")
    said = answered.output["hookSpecificOutput"] if answered.stdout else {}
    return str(said.get("permissionDecisionReason", "")) if said.get("permissionDecision") == "deny" else ""


def edit(hook: Hook, path: str = "src/belt.py", *, event: str = "after", new: str = "oil", **fields: Any) -> Answered:
    given = {"file_path": str(hook.project / path), "old_string": "dry", "new_string": new}
    outcome: dict[str, Any] = {"tool_response": {"stdout": "done"}} if event == "after" else {}
    return hook.claude(event, tool_name="Edit", tool_input=given, **outcome, **fields)


def ran(hook: Hook, command: str, output: str = "fine", **fields: Any) -> Answered:
    given: dict[str, Any] = {
        "tool_name": "Bash",
        "tool_input": {"command": command},
        "tool_response": {"stdout": output},
    }
    return hook.claude("after", **given, **fields)


def ask(hook: Hook, prompt: str, **fields: Any) -> None:
    hook.claude("prompt", prompt=prompt, **fields)


def test_a_command_that_nobody_asked_for_is_stopped_once_and_then_passes(hook: Hook) -> None:
    turn_on(hook, PUSH)
    ask(hook, "Fix the belt.")
    said = reason(hook.before("cd web && git push origin main"))
    assert "Nobody asked for `git push` in this session" in said
    assert "the user wants this" in said
    assert reason(hook.before("cd web && git push origin main")) == ""
    assert [(draw["act"], draw["moment"]) for draw in hook.records("draw") if "act" in draw] == [
        ("check", "before"),
        ("repeated", "before"),
    ]


def test_a_strict_check_never_passes(hook: Hook) -> None:
    turn_on(hook, PUSH, is_strict=True)
    ask(hook, "Fix the belt.")
    for _ in range(3):
        assert "calling it again does not help" in reason(hook.before("git push"))
    ask(hook, "Now push it.")
    assert reason(hook.before("git push")) == ""


@pytest.mark.parametrize("asked", ["Please commit and push.", "Run `git push` for me", "open a PR with it"])
def test_what_the_user_asked_for_passes(hook: Hook, asked: str) -> None:
    turn_on(hook, PUSH)
    ask(hook, asked)
    assert reason(hook.before("git push")) == ""


@pytest.mark.parametrize(
    "denied", ["But don't push yet.", "Fix it without pushing", "why did you push?", "The push failed"]
)
def test_a_denial_or_a_question_asks_for_nothing(hook: Hook, denied: str) -> None:
    turn_on(hook, PUSH)
    ask(hook, denied)
    assert reason(hook.before("git push"))


def test_a_later_denial_takes_back_what_was_asked_for(hook: Hook) -> None:
    turn_on(hook, PUSH)
    ask(hook, "Commit and push.")
    ask(hook, "Wait, don't push.")
    assert reason(hook.before("git push"))


def test_a_yes_after_a_stop_allows_the_command(hook: Hook) -> None:
    turn_on(hook, PUSH)
    ask(hook, "Fix the belt.")
    assert reason(hook.before("git push"))
    ask(hook, "yes, go ahead")
    assert reason(hook.before("git push origin main")) == ""


@pytest.mark.parametrize(
    "pasted",
    ["Look at this log:\n```\nplease git push\n```", "<ticket>\nCommit and push it now.\n</ticket>\nFix this."],
)
def test_what_the_user_pasted_asks_for_nothing(hook: Hook, pasted: str) -> None:
    turn_on(hook, PUSH)
    ask(hook, pasted)
    assert reason(hook.before("git push"))


def test_what_an_agent_asks_of_a_subagent_allows_nothing(hook: Hook) -> None:
    turn_on(hook, PUSH)
    ask(hook, "Fix the belt.")
    ask(hook, "Push it.", agent_id="a1")
    assert reason(hook.before("git push", agent_id="a1"))


def test_a_yes_to_something_else_allows_nothing(hook: Hook) -> None:
    turn_on(hook, PUSH)
    ask(hook, "yes")
    assert reason(hook.before("git push"))


def test_a_call_that_passes_one_check_the_second_time_is_still_stopped_by_a_strict_one(hook: Hook) -> None:
    loose, strict = check_from(PUSH, repo=REPO), check_from("before git push: make lint", repo=REPO)
    hook.compile(checks=[DeckedCheck(loose, REPO), DeckedCheck(strict, REPO, is_strict=True)])
    ask(hook, "Fix the belt.")
    edit(hook)
    for _ in range(3):
        assert "`make lint` has not passed since the last edit" in reason(hook.before("git push"))
    ran(hook, "make lint")
    assert "Nobody asked for `git push`" in reason(hook.before("git push"))
    assert reason(hook.before("git push")) == ""


def test_where_no_prompt_was_ever_heard_nobody_can_tell_and_the_call_passes(hook: Hook) -> None:
    turn_on(hook, PUSH)
    assert reason(hook.before("git push")) == ""


def test_a_commit_waits_for_a_check_that_has_passed_since_the_last_edit(hook: Hook) -> None:
    turn_on(hook, LINT)
    assert reason(hook.before("git commit -m a")) == ""
    edit(hook)
    assert "`make lint` has not passed since the last edit" in reason(hook.before("git commit -m a"))
    ran(hook, "make lint")
    assert reason(hook.before("git commit -m b")) == ""
    edit(hook)
    assert reason(hook.before("git commit -m c"))


def test_a_check_that_failed_has_not_passed(hook: Hook) -> None:
    turn_on(hook, LINT)
    edit(hook)
    hook.failed("make lint", "src/belt.py:1: too long")
    assert reason(hook.before("git commit -m a"))


def test_a_check_whose_end_is_hidden_is_not_known_and_the_commit_passes(hook: Hook) -> None:
    turn_on(hook, LINT)
    edit(hook)
    ran(hook, "make lint | tail -3", "done")
    assert reason(hook.before("git commit -m a")) == ""


@pytest.mark.parametrize(
    ("line", "is_stopped"),
    [
        ("make lint && git commit -m a", False),
        ("make lint 2>&1 | tail -5 && git commit -m a", False),
        ("make lint; git commit -m a", True),
        ("make lint || true; git commit -m a", True),
        ("git commit -m a && make lint", True),
        ("git commit --dry-run", False),
        ("git log --grep commit", False),
    ],
)
def test_a_line_that_runs_both_passes_if_the_one_waits_for_the_other(
    hook: Hook, line: str, *, is_stopped: bool
) -> None:
    turn_on(hook, LINT)
    edit(hook)
    assert bool(reason(hook.before(line))) is is_stopped


def test_an_edit_outside_of_the_repository_asks_for_nothing(hook: Hook) -> None:
    turn_on(hook, LINT)
    edit(hook, "../elsewhere/notes.md")
    assert reason(hook.before("git commit -m a")) == ""


def test_a_file_that_is_made_by_a_program_is_not_edited(hook: Hook) -> None:
    turn_on(hook, MADE)
    (hook.project / "src/made").mkdir()
    (hook.project / "src/made/api.py").touch()
    assert "Leave `src/made/api.py` as it is" in reason(edit(hook, "src/made/api.py", event="before"))
    assert reason(edit(hook, "src/made/api.py", event="before", new="another")) == ""
    assert reason(edit(hook, "src/other.py", event="before")) == ""


def test_a_file_that_is_new_may_be_written(hook: Hook) -> None:
    turn_on(hook, MADE)
    given = {"file_path": str(hook.project / "src/made/new.py"), "content": "x"}
    assert reason(hook.claude("before", tool_name="Write", tool_input=given)) == ""


@pytest.mark.parametrize(
    "line", ["echo x > src/made/api.py", "sed -i s/a/b/ src/made/api.py", "cd src && rm made/api.py"]
)
def test_a_shell_that_plainly_writes_such_a_file_is_stopped_too(hook: Hook, line: str) -> None:
    turn_on(hook, MADE)
    assert reason(hook.before(line))
    assert reason(hook.before("cat src/made/api.py 2>/dev/null")) == ""


@pytest.mark.parametrize("key", ["input", "command"])  # in logs of Codex, and for its hooks
def test_a_patch_over_several_files_is_seen(hook: Hook, key: str) -> None:
    turn_on(hook, MADE)
    (hook.project / "src/made").mkdir()
    (hook.project / "src/made/api.py").touch()
    patch = "*** Begin Patch\n*** Update File: src/a.py\n+x\n*** Update File: src/made/api.py\n+y\n*** End Patch"
    call = {"session_id": "s1", "cwd": str(hook.project), "tool_name": "apply_patch", "tool_input": {key: patch}}
    assert reason(hook("codex", "before", call))


def test_a_patch_that_codex_has_applied_is_an_edit(hook: Hook) -> None:
    turn_on(hook, SCHEMA)
    codex = {"session_id": "s1", "cwd": str(hook.project)}
    patch = "*** Begin Patch\n*** Update File: db/schema.prisma\n@@\n-a\n+b\n*** End Patch\n"
    hook("codex", "after", {**codex, "tool_name": "apply_patch", "tool_input": {"command": patch}})
    commit = {"tool_name": "Bash", "tool_input": {"command": "git commit -m a"}}
    assert "let `npx prisma generate` pass" in reason(hook("codex", "before", {**codex, **commit}))


def test_after_a_file_its_command_has_to_pass_before_a_commit(hook: Hook) -> None:
    turn_on(hook, SCHEMA)
    edit(hook)
    assert reason(hook.before("git commit -m a")) == ""
    edit(hook, "db/schema.prisma")
    assert "let `npx prisma generate` pass, then commit" in reason(hook.before("git commit -m a"))
    ran(hook, "npx prisma generate")
    assert reason(hook.before("git commit -m b")) == ""


@pytest.mark.parametrize(
    "line",
    [
        "git commit -m 'Oil the belt' -m 'Signed-off-by: a'",
        "git commit -am \"$(cat <<'EOF'\nOil\n\nSigned-off-by: a\nEOF\n)\"",
        "git commit -F - <<'EOF'\nOil\nsigned-off-by: a\nEOF",
    ],
)
def test_a_text_in_a_commit_message_is_found_however_it_is_given(hook: Hook, line: str) -> None:
    turn_on(hook, TRAILER)
    assert "Write it without that text" in reason(hook.before(line))
    assert reason(hook.before("git commit -m 'Oil the belt'; echo Signed-off-by")) == ""


def test_a_text_is_kept_out_of_a_file_unless_it_stood_there(hook: Hook) -> None:
    turn_on(hook, LOGS)
    assert reason(edit(hook, "src/a.js", event="before", new="console.log(1)"))
    assert reason(edit(hook, "docs/a.md", event="before", new="console.log(1)")) == ""
    moved = {
        "file_path": str(hook.project / "src/a.js"),
        "old_string": "console.log(1)",
        "new_string": "  console.log(1)",
    }
    assert reason(hook.claude("before", tool_name="Edit", tool_input=moved)) == ""


def test_another_command_is_named_as_it_is_to_be_called_here(hook: Hook) -> None:
    turn_on(hook, PNPM)
    assert "Use `pnpm install left`." in reason(hook.before("npm install left"))
    assert reason(hook.before("pnpm install left")) == ""


def test_only_who_may_rewrite_does(hook: Hook) -> None:
    turn_on(hook, PNPM)
    answered = hook.before("npm install left", "--rewrite").output["hookSpecificOutput"]
    assert answered["updatedInput"] == {"command": "pnpm install left"}


def test_a_command_behind_its_wrapper_is_not_taken_for_the_bare_one(hook: Hook) -> None:
    turn_on(hook, "uv run pytest instead of pytest")
    assert reason(hook.before("uv run pytest -q")) == ""
    assert "Use `uv run pytest -q`." in reason(hook.before("pytest -q"))


def test_a_check_of_another_repository_says_nothing_here(hook: Hook) -> None:
    turn_on(hook, PUSH, LINT, MADE, repo="example.org/team/harbour")
    ask(hook, "Fix the belt.")
    edit(hook)
    assert reason(hook.before("git push")) == ""
    assert hook.records("check") == []


def test_a_command_in_another_repository_is_nobodys_here_and_in_a_worktree_of_this_one_it_is(hook: Hook) -> None:
    turn_on(hook, PUSH)
    ask(hook, "Fix the belt.")
    other, worktree = hook.project.parent / "vineyard", hook.project.parent / "trees" / "belt"
    (other / ".git").mkdir(parents=True)
    worktree.mkdir(parents=True)
    (hook.project / ".git" / "worktrees" / "belt").mkdir(parents=True, exist_ok=True)
    (worktree / ".git").write_text(f"gitdir: {hook.project}/.git/worktrees/belt\n")
    assert reason(hook.before(f"cd {other} && git push")) == ""
    assert reason(hook.before(f"git -C {other} push")) == ""
    assert reason(hook.before(f"cd {hook.project.parent}/gone && git push")) == ""
    assert reason(hook.before(f"cd {worktree} && git push"))
    assert reason(hook.before("cd web && git push origin"))
    turn_on(hook, PUSH, repo="")
    ask(hook, "Fix the belt.", session="s2")
    assert reason(hook.before(f"cd {other} && git push", session="s2"))


def test_help_about_a_command_is_no_call_of_it(hook: Hook) -> None:
    turn_on(hook, PNPM)
    assert reason(hook.before("npm --help")) == ""


def test_a_check_that_holds_everywhere_is_heard_in_any_repository(hook: Hook) -> None:
    turn_on(hook, PUSH, repo="")
    ask(hook, "Fix the belt.")
    assert reason(hook.before("git push"))


def test_a_check_is_not_held_out(hook: Hook) -> None:
    turn_on(hook, PUSH, session_share=1.0, item_share=1.0)
    ask(hook, "Fix the belt.")
    assert reason(hook.before("git push"))


def test_in_an_experiment_that_a_person_started_it_is_as_drawn(hook: Hook) -> None:
    turn_on(hook, PUSH, arms=("cold",))
    ask(hook, "Fix the belt.")
    assert reason(hook.before("git push")) == ""
    (draw,) = (draw for draw in hook.records("draw") if draw.get("act") == "check")
    assert (draw["held"], draw["items"], "Nobody asked" in draw["would"]) == (1, dict.fromkeys(draw["items"], 0), True)


def test_what_is_noted_of_a_session_holds_no_words(hook: Hook) -> None:
    turn_on(hook, PUSH, LINT)
    ask(hook, "Fix the belt with marmalade.")
    edit(hook)
    edit(hook)
    ran(hook, "make lint")
    ask(hook, "push")
    noted = hook.records("check")
    assert [list(record["is"].values()) for record in noted] == [["edited"], ["passed"], ["asked"]]
    assert all(set(record) == {"kind", "at", "agent", "session", "repo", "is"} for record in noted)


@pytest.mark.parametrize("is_strict", [False, True])
def test_a_refusal_is_known_for_one_wherever_it_comes_back(hook: Hook, *, is_strict: bool) -> None:
    turn_on(hook, PUSH, is_strict=is_strict)
    ask(hook, "Fix the belt.")
    assert is_refusal(f"Error: {reason(hook.before('git push'))}")


def test_a_refusal_that_comes_back_is_no_failure_and_no_edit(hook: Hook) -> None:
    turn_on(hook, PUSH, LINT)
    ask(hook, "Fix the belt.")
    said = reason(hook.before("git push"))
    hook.failed("git push", said)
    assert [record["status"] for record in hook.records("tool")] == ["denied"]


def test_a_subagent_that_was_never_stopped_is(hook: Hook) -> None:
    turn_on(hook, PUSH)
    ask(hook, "Fix the belt.")
    assert reason(hook.before("git push"))
    assert reason(hook.before("git push", agent_id="a1"))
    ask(hook, "push it")
    assert reason(hook.before("git push --tags", agent_id="a1")) == ""


def test_who_cannot_be_stopped_is_told_after_the_call(hook: Hook) -> None:
    turn_on(hook, MADE)
    tool = {"name": "run_commands", "input": {"command": "rm src/made/api.py"}, "output": "done"}
    call = {"taskId": "s1", "workspaceRoots": [str(hook.project)], "tool_result": tool}
    told = hook("cline-cli", "after", call)
    assert "That call went against a check: Never edit `src/made/**` (the user wants this)." in told.stdout
    assert hook("cline-cli", "before", {**call, "tool_call": tool}).stdout == ""


def test_without_a_check_no_call_says_or_notes_anything(hook: Hook) -> None:
    ask(hook, "Fix the belt.")
    before = {path: path.read_bytes() for path in hook.layout.root.rglob("*") if path.is_file()}
    assert hook.before("git push").stdout == ""
    assert {path: path.read_bytes() for path in hook.layout.root.rglob("*") if path.is_file()} == before
    assert edit(hook, event="before").stdout == ""


def test_a_call_that_no_check_is_about_loads_nothing_slow(hook: Hook) -> None:
    turn_on(hook, PUSH, LINT, MADE, SCHEMA, TRAILER, LOGS, PNPM)
    given = {"tool_name": "Bash", "tool_input": {"command": "git status --short"}}
    found = loaded(hook, "before", given)
    assert found & HEAVY == set()
    assert "afterwit.recall.hook.call" in found
    assert found & {"afterwit.recall.hook.checks", "afterwit.actions.shell.parse"} == set()


def test_without_any_check_a_call_is_over_before_the_deck_is_opened(hook: Hook) -> None:
    given = {"tool_name": "Bash", "tool_input": {"command": "git push"}}
    assert "afterwit.recall.hook.call" not in loaded(hook, "before", given)
    turn_on(hook, PUSH)
    assert "afterwit.recall.hook.call" in loaded(hook, "before", given)
    turn_on(hook)
    assert "afterwit.recall.hook.call" not in loaded(hook, "before", given)
