"""`afterwit pause` and `afterwit resume`: off is one word, seen in `status`, and nothing turns itself on again."""

import json

from tests.cli.conftest import Run


def said(run: Run, *arguments: str, code: int = 0) -> str:
    done = run(*arguments)
    assert done.returncode == code, done.stderr
    return str(done.stdout + done.stderr)


def test_a_repository_is_paused_until_it_is_resumed(learned: Run) -> None:
    assert said(learned, "pause", "--repo", "orchard").startswith("Paused: github.com/acme/orchard\n")
    assert "Nothing is told in github.com/acme/orchard: it is paused. `afterwit resume`" in said(learned, "status")
    assert said(learned, "resume") == "Resumed: github.com/acme/orchard\n"
    assert "is paused" not in said(learned, "status")
    assert said(learned, "resume") == "Nothing is paused.\n"


def test_pauses_are_kept_beside_each_other_and_may_have_an_end(learned: Run) -> None:
    said(learned, "pause", "--agent", "codex", "--for", "2h")
    paused = json.loads(said(learned, "pause", "--everywhere", "--json"))
    assert paused["agent:*"] == 0
    assert paused["agent:codex"] > 0
    assert "Paused: agent codex, until " in said(learned, "pause", "--everywhere")


def test_what_cannot_be_meant_is_refused_in_words(learned: Run) -> None:
    assert "30m, 2h, 1d" in said(learned, "pause", "--repo", "orchard", "--for", "soon", code=2)
    assert "`afterwit connect status` names them" in said(learned, "pause", "--agent", "gpt", code=2)
    assert "one of --repo, --agent and --everywhere" in said(
        learned, "pause", "--agent", "codex", "--everywhere", code=2
    )
    assert "vineyard" in said(learned, "pause", "--repo", "vineyard", code=2)
