"""Whether a prompt asks for a command, by its words."""

import pytest

from afterwit.recall.hook.asking import loosely_meant, wish_in


@pytest.mark.parametrize(
    ("prompt", "command", "wish"),
    [
        ("push it", "git push", "asked"),
        ("Please commit and push.", "git push", "asked"),
        ("can you push?", "git push", "asked"),
        ("Fix it, then push", "git push", "asked"),
        ("don't forget to push", "git push", "asked"),
        ("do the push, don't do a reply", "git push", "asked"),
        ("no just commit and push", "git push", "asked"),
        ("ship it", "git push", "asked"),
        ("ok lets get a pr up for this", "gh pr create", "asked"),
        ("open a pull request", "git push", "asked"),
        ("make a commit", "git commit", "asked"),
        ("make check、make gen-doc", "make check", "asked"),
        ("reply to the comments", "gh pr comment", "asked"),
        ("start docker", "docker compose up", "asked"),
        ("push it", "git push --force", ""),
        ("force push it", "git push --force", "asked"),
        ("git push --force", "git push --force", "asked"),
        ("don't force it", "git push --force", "denied"),
        ("add a test", "git add -f", ""),
        ('you may commit with "--no-verify" this once', "git commit --no-verify", "asked"),
        ("然后force push", "git push --force", "asked"),
        ("don't push yet", "git push", "denied"),
        ("Do not push", "git push", "denied"),
        ("stop pushing", "git push", "denied"),
        ("fix it without pushing", "git push", "denied"),
        ("push, but do not merge", "gh pr merge", "denied"),
        ("never push. ok push this once", "git push", "asked"),
        ("push it. no wait, don't push", "git push", "denied"),
        ("why did you push?", "git push", ""),
        ("the push failed", "git push", ""),
        ("push through the migrations", "git push", ""),
        ("commit 1a2b3c4d broke it", "git commit", ""),
        ("look at PR 12", "git push", ""),
        ("run the tests", "docker compose up", ""),
        ("yes", "git push", "agreed"),
        ("ok, go ahead", "git push", "agreed"),
        ("yes, but not now", "git push", ""),
        ("no", "git push", ""),
    ],
)
def test_a_prompt_says_what_is_wanted(prompt: str, command: str, wish: str) -> None:
    assert wish_in(prompt, command) == wish


def test_a_check_may_know_further_words() -> None:
    assert wish_in("wrap up", "git push") == ""
    assert wish_in("wrap up", "git push", "wrap up, land") == "asked"


def test_any_form_of_a_verb_is_a_mention() -> None:
    assert loosely_meant("is it pushed?", "git push")
    assert loosely_meant("is a PR open?", "gh pr create")
    assert not loosely_meant("look at the comments", "gh pr comment")
    assert not loosely_meant("pull in the latest", "gh pr create")
