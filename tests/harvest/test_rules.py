from itertools import permutations

from tests.harvest.talks import DAY_MS, MAY_MS, concluded, sentences
from tests.harvest.work import Act, edited, failed, ran, session

from afterwit.harvest.rules import EverydayRules, LinterRules, most_failed
from afterwit.model.digest import Digest
from afterwit.model.knowledge import Category, Channel, Draft, Evidence, Scope, ScopeKind, SessionRef, Trigger

_UNWRAPPED = (("wrapcheck", "error returned from external package is unwrapped"),)


def _lint(*rules: tuple[str, str], command: str = "make lint") -> Act:
    return failed(command, rules=rules)


def test_a_known_rule_is_told_in_words_of_ours_with_the_command_that_reports_it() -> None:
    sessions = [session(_lint(*_UNWRAPPED), edited("press.go"), ran("make lint"), day=day) for day in range(3)]
    (draft,) = concluded(LinterRules(), sessions)
    assert draft.sentence.startswith("In `orchard`, `wrapcheck` keeps failing: wrap errors from other packages")
    assert draft.sentence.endswith(" `make lint` reports it.")
    assert (draft.channel, draft.triggers, len(draft.evidence)) == (Channel.OUTCOME, (Trigger(rule="wrapcheck"),), 3)
    assert draft.advice == ""


def test_a_rule_that_nobody_knows_is_not_told_whatever_its_message_says() -> None:
    report = ("house-names", "name `crate` after its fruit")
    assert not concluded(LinterRules(), [session(_lint(report), day=day) for day in range(4)])


def test_a_known_rule_without_words_of_ours_is_told_by_its_id_alone() -> None:
    report = ("no-inner-declarations", "Always run the press before each commit")
    (draft,) = concluded(LinterRules(), [session(_lint(report), day=day) for day in range(2)])
    assert draft.sentence == "In `orchard`, `no-inner-declarations` keeps failing. `make lint` reports it."
    assert draft.channel is Channel.TOOL


def test_rules_that_one_command_puts_right_are_one_item_with_the_command() -> None:
    acts = [
        _lint(("format", ""), ("assist/source/organizeImports", "not sorted")),
        ran("make lint-fix"),
        ran("make lint"),
    ]
    (draft,) = concluded(LinterRules(), [session(*acts, day=day) for day in range(2)])
    assert draft.sentence == (
        "In `orchard`, run `make lint-fix` before linting: it puts right what keeps failing"
        " (`assist/source/organizeImports`, `format`)."
    )
    assert draft.advice == "make lint-fix"
    assert {trigger.rule for trigger in draft.triggers} == {"format", "assist/source/organizeImports"}


def test_a_rule_that_the_same_tool_can_mend_joins_unless_the_command_only_formats() -> None:
    fixing = session(_lint(("lint/style/useExportType", "types")), ran("make lint-fix"), ran("make lint"))
    other = session(_lint(("lint/style/useImportType", "types")), day=1)
    assert len(concluded(LinterRules(), [fixing, other])) == 1
    formatting = session(_lint(("format", "")), ran("make format"), ran("make lint"))
    assert len(concluded(LinterRules(), [formatting, other])) == 2


def test_a_mend_of_some_files_is_told_and_not_given_as_a_line_to_run() -> None:
    acts = [_lint(("format", "")), ran("npx prettier --write press/crate.ts"), ran("make lint")]
    (draft,) = concluded(LinterRules(), [session(*acts, day=day) for day in range(2)])
    assert "run `npx prettier --write <path>` before linting" in draft.sentence
    assert draft.advice == ""


def test_reports_of_a_run_with_other_settings_do_not_count() -> None:
    assert not concluded(LinterRules(), [session(_lint(*_UNWRAPPED, command="golangci-lint run --no-config"))])


def test_what_a_clean_up_met_is_evidence_of_a_tool_and_makes_no_habit() -> None:
    tidied = session(edited(".golangci.yaml"), _lint(*_UNWRAPPED))
    (draft,) = concluded(LinterRules(), [tidied, session(_lint(*_UNWRAPPED), day=1)])
    assert "`wrapcheck` has failed" in draft.sentence
    assert [piece.channel for piece in draft.evidence] == [Channel.TOOL, Channel.OUTCOME]
    dozens = session(_lint(*((f"house-{number}", "mind it") for number in range(12))), day=2)
    assert all(piece.channel is Channel.TOOL for one in concluded(LinterRules(), [dozens]) for piece in one.evidence)


def test_the_same_defect_met_in_two_stories_is_one_origin() -> None:
    one, other = ("nilnil", "`pressAll` returns nil and nil"), ("nilnil", "`millAll` returns nil and nil")
    (draft,) = concluded(LinterRules(), [session(_lint(rule), day=day) for day, rule in enumerate((one, one, other))])
    assert len({piece.origin for piece in draft.evidence}) == 2


def test_the_reporter_is_the_command_that_most_stories_run_the_projects_own_first() -> None:
    sessions = [session(_lint(*_UNWRAPPED, command="golangci-lint run"), day=day) for day in range(2)]
    sessions += [session(_lint(("nilnil", "no"), command="make lint"), day=2), session(ran("make lint"), day=3)]
    told = [one.sentence for one in concluded(LinterRules(), sessions)]
    assert all(one.endswith("`make lint` reports it.") for one in told)


def test_a_formatter_between_failure_and_success_mends_no_other_rule() -> None:
    acts = [_lint(*_UNWRAPPED), ran("gofmt -w ."), ran("make lint")]
    (draft,) = concluded(LinterRules(), [session(*acts, day=day) for day in range(3)])
    assert draft.advice == ""


def test_a_mend_of_a_rule_not_known_to_be_mendable_is_named_only_if_two_stories_did_nothing_else() -> None:
    mended = [_lint(("no-inner-declarations", "move it")), ran("make lint-fix"), ran("make lint")]
    helped = [_lint(("no-inner-declarations", "move it")), edited("a.go"), ran("make lint-fix"), ran("make lint")]
    (once,) = concluded(LinterRules(), [session(*mended, day=1), session(*helped, day=2)])
    (twice,) = concluded(LinterRules(), [session(*mended, day=1), session(*mended, day=2)])
    assert (once.advice, twice.advice) == ("", "make lint-fix")


def test_a_mend_after_which_the_rule_fails_again_is_none() -> None:
    acts = [_lint(("format", "")), ran("make lint-fix"), _lint(("format", ""))]
    (draft,) = concluded(LinterRules(), [session(*acts, day=day) for day in range(2)])
    assert draft.advice == ""


def test_a_report_that_stood_in_a_file_does_not_count() -> None:
    assert not concluded(
        LinterRules(), [session(_lint(*_UNWRAPPED, command="cat lint.log"), day=day) for day in range(3)]
    )


def test_checks_within_a_linter_are_told_apart() -> None:
    reports = [("revive", "exported: comment it"), ("revive", "var-naming: write ID")]
    told = [one.sentence for one in concluded(LinterRules(), [session(_lint(*reports), day=day) for day in range(2)])]
    assert [one.partition(" keeps")[0] for one in told] == [
        "In `orchard`, `revive` (exported)",
        "In `orchard`, `revive` (var-naming)",
    ]


def test_subagents_of_one_story_are_one_story() -> None:
    sessions = [session(_lint(*_UNWRAPPED), day=day, parent="root") for day in range(3)]
    (draft,) = concluded(LinterRules(), sessions)
    assert "`wrapcheck` has failed" in draft.sentence
    assert len({piece.origin for piece in draft.evidence}) == 1


def test_the_order_of_sessions_does_not_matter() -> None:
    sessions: list[Digest] = [
        session(_lint(*_UNWRAPPED, ("house-names", "b"))),
        session(_lint(*_UNWRAPPED, command="go vet ./..."), day=1),
        session(_lint(("house-names", "a"), ("TS2322", "no")), day=2),
    ]
    drafts = [concluded(LinterRules(), order) for order in permutations(sessions)]
    assert all(some == drafts[0] for some in drafts)


def _draft(rule: str, *days: int) -> Draft:
    evidence = [
        Evidence(
            session=SessionRef(agent="codex", native_id=str(day), story=str(day)),
            channel=Channel.OUTCOME,
            at_ms=MAY_MS + day * DAY_MS,
        )
        for day in days
    ]
    return Draft(
        harvester="rules",
        key=(rule,),
        scope=Scope(ScopeKind.REPO, "orchard"),
        category=Category.PITFALL,
        sentence=rule,
        channel=Channel.OUTCOME,
        evidence=tuple(evidence),
    )


def test_rules_that_failed_in_many_stories_and_of_late_bite_most() -> None:
    drafts = [_draft("once", 300), _draft("of late", 298, 299, 300), _draft("long ago", 0, 1, 2, 3)]
    assert [draft.sentence for draft in most_failed(drafts)] == ["of late", "once", "long ago"]
    assert [draft.sentence for draft in most_failed(drafts, limit=1)] == ["of late"]
    assert most_failed([]) == []


_UNUSED = (("no-unused-vars", "'crate' is never used"),)


def test_what_every_agent_knows_is_kept_here_and_not_among_the_rules() -> None:
    sessions = [session(failed("make lint", rules=_UNUSED), day=day) for day in range(3)]
    (draft,) = concluded(EverydayRules(), sessions)
    assert draft.sentence.startswith("In `orchard`, `no-unused-vars` keeps failing: remove unused variables")
    assert draft.triggers == (Trigger(rule="no-unused-vars"),)
    assert EverydayRules.minimum_stories > 1_000
    assert not concluded(LinterRules(), sessions)


def test_checks_within_a_linter_are_told_together() -> None:
    reports = (("revive", "unused-parameter: 'crate' is unused"), ("revive", "redefines-builtin-id: max"))
    (draft,) = concluded(EverydayRules(), [session(failed("make lint", rules=reports), day=day) for day in range(2)])
    assert draft.sentence == (
        "In `orchard`, `revive` keeps failing: do not shadow built-in names (redefines-builtin-id); remove unused"
        " parameters or name them `_` (unused-parameter)."
    )


def test_type_errors_that_want_the_same_are_told_together() -> None:
    sessions = [
        session(failed("npm run typecheck", rules=((code, "does not fit"),)), day=day)
        for day, code in enumerate(("TS2322", "TS2345", "TS2322"))
    ]
    assert sentences(concluded(EverydayRules(), sessions)) == [
        "In `orchard`, code keeps failing its checks (`TS2322`, `TS2345`): look up the declared type before passing,"
        " assigning or returning a value, and set every required property; `npm run typecheck` shows it."
    ]


def test_codes_that_want_something_else_are_told_apart() -> None:
    reports = (("TS2322", "does not fit"), ("TS2304", "cannot find name"))
    sessions = [session(failed("npx tsc", rules=reports), day=day) for day in range(2)]
    drafts = concluded(EverydayRules(), sessions)
    assert sorted(trigger.rule for draft in drafts for trigger in draft.triggers) == ["TS2304", "TS2322"]
    assert len(drafts) == 2


def test_codes_of_which_no_more_is_known_teach_to_check_earlier() -> None:
    sessions = [
        session(failed("npx tsc", rules=((code, "odd"),)), day=day) for day, code in enumerate(("TS9901", "TS9902"))
    ]
    assert sentences(concluded(EverydayRules(), sessions)) == [
        "In `orchard`, code keeps failing its checks (`TS9901`, `TS9902`): see it early; `npx tsc` shows it."
    ]


def test_the_order_of_sessions_does_not_matter_for_everyday_rules() -> None:
    sessions = [
        session(failed("make lint", rules=_UNUSED)),
        session(failed("npx tsc", rules=(("TS2322", "no"),)), day=1),
        session(failed("make types", rules=(("TS2345", "no"), *_UNUSED)), day=2),
    ]
    drafts = [concluded(EverydayRules(), order) for order in permutations(sessions)]
    assert all(some == drafts[0] for some in drafts)
