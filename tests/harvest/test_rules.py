from itertools import permutations

from tests.harvest.talks import concluded, sentences
from tests.harvest.work import Act, edited, failed, ran, session

from afterwit.harvest.rules import LinterRules
from afterwit.model.digest import Digest
from afterwit.model.knowledge import Category, Channel, Draft, Trigger

_UNWRAPPED = (("wrapcheck", "error returned from external package is unwrapped"),)


def _lint(*rules: tuple[str, str], command: str = "make lint") -> Act:
    return failed(command, rules=rules)


def _concluded(*sessions: Digest) -> list[Draft]:
    return concluded(LinterRules(), sessions)


def _days(*acts: Act, days: int = 2) -> list[Digest]:
    return [session(*acts, day=day) for day in range(days)]


def test_all_rules_are_one_line_of_ids_the_commonest_first_with_the_command_that_reports_them() -> None:
    sessions = _days(_lint(*_UNWRAPPED), edited("press.go"), ran("make lint"))
    sessions += [session(_lint(*_UNWRAPPED, ("errcheck", "check it"), ("unused", "nobody calls it")), day=5)]
    (draft,) = _concluded(*sessions)
    assert draft.sentence == "`make lint` fails most on `wrapcheck`, `errcheck`, `unused`."
    assert (draft.category, draft.channel, draft.advice) == (Category.PITFALL, Channel.OUTCOME, "")
    assert draft.triggers[0] == Trigger(rule="wrapcheck")
    assert len(draft.evidence) == 5


def test_no_word_says_what_every_agent_knows() -> None:
    (draft,) = _concluded(*_days(_lint(("unused", "x"), ("errcheck", "y"), ("no-unused-vars", "z"))))
    assert draft.sentence == "`make lint` fails most on `errcheck`, `no-unused-vars`, `unused`."


def test_a_line_is_at_most_two_hundred_characters_and_eight_ids_long() -> None:
    named = [f"lint/style/{name}" for name in ("useTemplate", "useConst", "noParameterAssign", "useImportType")]
    named += [f"lint/correctness/{name}" for name in ("useExhaustiveDependencies", "noUnusedFunctionParameters")]
    named += [f"lint/suspicious/{name}" for name in ("noAssignInExpressions", "useIterableCallbackReturn", "noConsole")]
    (draft,) = _concluded(*_days(_lint(*((rule, "no") for rule in named))))
    assert len(draft.sentence) <= 200
    (short,) = _concluded(*_days(_lint(*((f"E70{number}", "no") for number in range(9)))))
    assert short.sentence.count("E70") == 8


def test_a_rule_that_nobody_knows_is_not_told_whatever_its_message_says() -> None:
    report = ("house-names", "name `crate` after its fruit")
    assert _concluded(*_days(_lint(report), days=4)) == []


def test_the_command_that_puts_some_right_is_told_before_the_one_that_reports() -> None:
    acts = [
        _lint(("format", ""), ("assist/source/organizeImports", "not sorted")),
        ran("make lint-fix"),
        ran("make lint"),
    ]
    assert sentences(_concluded(*_days(*acts))) == [
        "Run `make lint-fix` before `make lint`, which fails most on `organizeImports`, `format`."
    ]


def test_a_mend_of_what_needs_thought_is_told_if_two_sessions_did_nothing_else() -> None:
    mended = [_lint(("no-inner-declarations", "move it")), ran("make lint-fix"), ran("make lint")]
    helped = [_lint(("no-inner-declarations", "move it")), edited("a.go"), ran("make lint-fix"), ran("make lint")]
    (once,) = _concluded(session(*mended, day=1), session(*helped, day=2))
    (twice,) = _concluded(*_days(*mended))
    assert "lint-fix" not in once.sentence
    assert twice.sentence.startswith("Run `make lint-fix` before")


def test_a_mend_after_which_the_rule_fails_again_is_none() -> None:
    (draft,) = _concluded(*_days(_lint(("format", "")), ran("make lint-fix"), _lint(("format", ""))))
    assert draft.sentence == "`make lint` fails most on `format`."


def test_a_formatter_between_failure_and_success_mends_no_other_rule() -> None:
    (draft,) = _concluded(*_days(_lint(*_UNWRAPPED), ran("gofmt -w ."), ran("make lint")))
    assert "gofmt" not in draft.sentence


def test_rules_of_several_commands_stand_behind_their_own() -> None:
    acts = [_lint(*_UNWRAPPED, ("unused", "x")), _lint(("no-debugger", "x"), command="npm run lint")]
    assert sentences(_concluded(*_days(*acts))) == [
        "`make lint` fails most on `unused`, `wrapcheck`; `npm run lint` on `no-debugger`."
    ]


def test_the_projects_own_task_goes_before_the_tool_behind_it() -> None:
    sessions = [session(_lint(*_UNWRAPPED, command="golangci-lint run"), day=0)]
    sessions += [session(_lint(*_UNWRAPPED), day=1)]
    assert sentences(_concluded(*sessions)) == ["`make lint` fails most on `wrapcheck`."]


def test_errors_of_a_compiler_alone_are_not_told() -> None:
    assert _concluded(*_days(_lint(("TS2322", "no such type"), command="npm run typecheck"))) == []
    both = _days(
        _lint(("TS2322", "no such type"), ("no-debugger", "Unexpected 'debugger' statement"), command="npm run check")
    )
    assert len(_concluded(*both)) == 1


def test_rules_without_a_command_that_holds_everywhere_are_not_told() -> None:
    assert _concluded(*_days(failed("git commit -m x", rules=_UNWRAPPED))) == []
    assert _concluded(*_days(_lint(*_UNWRAPPED, command="cd press && make lint"))) == []


def test_reports_of_a_run_with_other_settings_and_of_a_file_do_not_count() -> None:
    assert _concluded(*_days(_lint(*_UNWRAPPED, command="golangci-lint run --no-config"))) == []
    assert _concluded(*_days(_lint(*_UNWRAPPED, command="cat lint.log"))) == []


def test_of_a_linter_of_many_the_commonest_check_is_named() -> None:
    reports = [("revive", "exported: comment it"), ("revive", "exported: this too"), ("revive", "var-naming: write ID")]
    assert sentences(_concluded(*_days(_lint(*reports)))) == ["`make lint` fails most on `revive` (exported)."]


def test_the_order_of_sessions_does_not_matter() -> None:
    sessions = [
        session(_lint(*_UNWRAPPED, ("house-names", "b"))),
        session(_lint(*_UNWRAPPED, command="go vet ./..."), day=1),
        session(_lint(("house-names", "a"), ("TS2322", "no")), day=2),
    ]
    drafts = [_concluded(*order) for order in permutations(sessions)]
    assert drafts[0]
    assert all(some == drafts[0] for some in drafts)
