import pytest
from tests.every import for_every
from tests.harvest.talks import ORCHARD, concluded, shell, talk

from afterwit.harvest.harvester import id_of
from afterwit.harvest.standing_rules import PART, UNTRIED, StandingRules, standing_sentences
from afterwit.knowledge.gate import rejection, review_reason
from afterwit.model.kinds import Status
from afterwit.model.knowledge import EVERYWHERE, Category, Channel, Scope, ScopeKind


@for_every(
    "text",
    [
        "Always run the linter before you push.",
        "never commit to the harvest branch directly",
        "Please never mock the database in integration tests.",
        "And always label the crates in Latin!",
        "From now on, use pnpm for everything.",
        "Going forward, ask before you add a dependency.",
        "In future, please run the whole test suite.",
        "Weigh the crates before you load them from now on.",
        "Remember to water the seedlings before you leave.",
        "Remember that the press needs the crates washed.",
        "Remember: the barrels are counted from zero.",
        "Always sign releases since 2026-05-01 with the new key.",
    ],
)
def test_a_sentence_that_says_of_itself_that_it_lasts_is_a_rule(text: str) -> None:
    assert standing_sentences(text) == [text]


@for_every(
    "text",
    [
        "Always run `make ripe` before you push.",
        "Always run zorblax before you push.",
        "Always run npx zorblax-setup first.",
        "From now on, begin with `zorblax up`.",
        "Never push unless you ran `zorblax up`.",
    ],
)
def test_a_rule_with_a_command_that_never_worked_here_waits_for_a_person(text: str) -> None:
    steps = (shell("make press", 1), shell("zorblax up", 2, Status.FAILED))
    (draft,) = concluded(StandingRules(), [talk(text, steps=steps), talk(text, day=1, steps=steps)])
    assert review_reason(draft) == f"needs a person: {UNTRIED}"


@pytest.mark.parametrize(
    ("prompts", "reason"),
    [
        (("what does their page mean\n\nNever wash the pears.", "again\nNever wash the pears."), PART),
        (("Never wash the pears.", "what does their page mean\n\nNever wash the pears."), PART),
        (("Never wash the pears.\nThat is from their page.", "Never wash the pears. I no longer want that."), PART),
        (("Never wash the pears.", " Never wash the pears!\n"), ""),
    ],
)
def test_what_is_not_the_whole_prompt_in_two_sessions_waits_for_a_person(prompts: tuple[str, str], reason: str) -> None:
    (draft,) = concluded(StandingRules(), [talk(text, day=day) for day, text in enumerate(prompts)])
    assert review_reason(draft) == (f"needs a person: {reason}" if reason else "")


@for_every(
    "text",
    [
        "Always run `make press` before you push.",
        "Always run make before you push.",
        "Always run the tests before you push.",
        "Never push with `git push --force`.",
        "Never edit `press.sql` by hand.",
        "Always use `pear` types, never others.",
    ],
)
def test_a_rule_with_a_command_that_worked_or_with_none_waits_for_nobody(text: str) -> None:
    elsewhere = talk("Press.", day=2, steps=(shell("cd src && make press", 1),))
    (draft,) = concluded(StandingRules(), [talk(text), talk(text, day=1), elsewhere])
    assert not review_reason(draft)


@for_every(
    "text",
    [
        "we use conventional commits, not free-form messages",
        "The loader always returns two values.",
        "make the header always visible",
        "never mind, I found the loader",
        "Never seen such a slow loader.",
        "Always the same error in the loader.",
        "Going forward with the second loader.",
        "In future releases the loader is gone.",
        "Remember that time the loader broke?",
        "do you remember how the loader was configured?",
        "so unless I misread the loader, it never stops",
    ],
)
def test_a_habit_a_remark_or_a_memory_is_none(text: str) -> None:
    assert standing_sentences(text) == []


@for_every(
    "text",
    [
        "Never push the loader, I think.",
        "Always restart the loader maybe.",
        "Always restart the loader, or should we?",
        "Always rebase this branch first.",
        "Never touch the loader of #46 again.",
        "Never touch the loader until 2026-05-01.",
        "From now on the loader is the one in /tmp/loader.",
        'Always call the loader "the big one".',
        "Always greet the loader of ‹user:564f2c›.",
        "Always follow these steps of the loader:",
    ],
)
def test_what_is_doubted_asked_pointed_at_or_quoted_is_none(text: str) -> None:
    assert standing_sentences(text) == []


def test_a_rule_is_quoted_as_it_was_typed_with_its_date() -> None:
    [draft] = concluded(StandingRules(), [talk("Never prune the plums in spring.")])
    assert draft.sentence == 'The user said on 2026-05-01: "Never prune the plums in spring."'
    assert (draft.channel, draft.category) == (Channel.USER, Category.PITFALL)
    assert draft.scope == Scope(ScopeKind.REPO, ORCHARD)
    assert draft.triggers == ()
    assert rejection(draft) is None
    assert not review_reason(draft)


def test_one_session_is_not_enough() -> None:
    assert StandingRules.minimum_stories == 2


def test_a_rule_said_again_in_other_words_is_one_rule_quoted_as_said_last() -> None:
    first = talk("always prune the pear trees in winter")
    again = talk("Please always prune the pear trees in winter!", day=3)
    [draft] = concluded(StandingRules(), [again, first])
    assert draft.sentence.startswith("The user said on 2026-05-04")
    assert [piece.session.native_id for piece in draft.evidence] == ["talk 0", "talk 3"]
    assert concluded(StandingRules(), [first, again]) == [draft]
    [alone] = concluded(StandingRules(), [first])
    assert alone.key == draft.key


def test_a_later_opposite_takes_the_place_of_the_earlier() -> None:
    digests = [talk("always prune pears in winter"), talk("never prune pears in winter", day=1)]
    earlier, later = concluded(StandingRules(), digests)
    assert later.supersedes == (id_of(earlier),)
    assert earlier.supersedes == ()


def test_what_is_said_outside_of_any_repository_holds_everywhere() -> None:
    [draft] = concluded(StandingRules(), [talk("Always prune the pears in winter.", repo="")])
    assert draft.scope == EVERYWHERE


def test_a_pasted_plan_gives_no_rules() -> None:
    plan = "Implement the following plan:\n\n## Prune\n- Always prune the pears in winter.\n"
    assert concluded(StandingRules(), [talk(plan)]) == []


def test_a_rule_beside_something_pasted_is_the_users() -> None:
    [draft] = concluded(StandingRules(), [talk('"""\nNever lint.\n"""\nNever prune the plums in spring.')])
    assert draft.sentence.endswith('"Never prune the plums in spring."')


def test_one_session_gives_at_most_a_handful() -> None:
    fruit = ("pears", "plums", "figs", "quinces", "apples", "cherries", "medlars")
    prompts = [f"Always prune {name} in winter, before the {name} wake." for name in fruit]
    assert len(list(StandingRules().see(talk(*prompts)))) == 6
