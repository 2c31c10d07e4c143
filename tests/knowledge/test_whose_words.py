"""Whose words a note is, and who is told them."""

from collections.abc import Sequence
from typing import Any

import msgspec
import pytest
from tests.knowledge.drafting import piece
from tests.recall.knowing import item

from afterwit.knowledge.whose_words import Names, is_personal, listener, people, speakers, speaks_for
from afterwit.model.knowledge import DENIALS, PERSON, READ, REPEATED, STANDING, Channel, Evidence, Item
from afterwit.redaction.accounts import is_person

WORDS = "The user said: never prune in spring."


def by(user: str, channel: Channel = Channel.USER, **more: Any) -> Evidence:
    """A piece of evidence from a session of this user."""
    own = piece(f"session of {user}", channel=channel, **more)
    return msgspec.structs.replace(own, session=msgspec.structs.replace(own.session, user=user))


def said(users: Sequence[str], harvester: str = STANDING, channel: Channel = Channel.USER) -> Item:
    return item(WORDS, harvester=harvester, channel=channel, evidence=tuple(by(user, channel) for user in users))


def named(*own: str, **aliases: str) -> Names:
    return Names(frozenset(own), aliases)


@pytest.mark.parametrize("harvester", [STANDING, REPEATED, READ])
def test_what_a_user_typed_is_personal_whatever_found_it(harvester: str) -> None:
    assert is_personal(said(["mira"], harvester))


def test_what_a_user_refused_is_personal_and_what_was_counted_or_written_down_is_not() -> None:
    assert is_personal(said(["mira"], DENIALS, Channel.OUTCOME))
    assert not is_personal(said(["mira"], "corrections", Channel.OUTCOME))
    assert not is_personal(said(["mira"], PERSON))


def test_a_note_is_the_word_of_those_who_said_it_not_of_those_who_were_told() -> None:
    both = said(["mira", "jonas"])
    assert people(both) == ("jonas", "mira")
    others = (by("ada", Channel.OUTCOME), by("grace", is_against=True))
    note = msgspec.structs.replace(said(["mira", "root", ""]), evidence=(*said(["mira", "root"]).evidence, *others))
    assert people(note) == ("mira",)
    assert speakers(note) == {"mira", "root"}


def test_a_person_hears_their_own_words_and_those_of_nobody_in_particular() -> None:
    mira = listener(named("mira"), {"orchard": ["mira", "jonas", "vscode"]})
    heard = {user: mira.hears(said([user])) for user in ("mira", "jonas", "vscode", "")}
    assert heard == {"mira": True, "jonas": False, "vscode": True, "": True}
    assert mira.hears(said(["jonas", "mira"]))
    assert mira.hears(msgspec.structs.replace(said(["jonas"]), is_decided=True))
    assert mira.hears(said(["jonas"], "corrections", Channel.OUTCOME))


def test_another_name_of_the_same_person_is_theirs() -> None:
    assert listener(named("mira", old="laptop", laptop="mira"), {"": ["mira", "old", "jonas"]}).others == {"jonas"}


def test_a_stranger_is_taken_for_the_only_person_of_a_repository_or_of_the_store() -> None:
    note = said(["mira"])
    stranger = listener(named("visitor"), {"orchard": ["mira", "root"], "mill": ["mira", "jonas"]})
    assert not stranger.hears(note)
    assert listener(named("visitor"), {note.scope.name: ["mira"], "mill": ["jonas"]}).hears(note)
    assert [stranger.hears_user("mira", repo) for repo in ("orchard", "mill", "")] == [True, False, False]
    alone = listener(named("visitor"), {"orchard": ["mira"], "mill": ["mira"]})
    assert all(alone.hears_user("mira", repo) for repo in ("orchard", "mill", ""))


def test_a_note_speaks_for_others_only_where_all_of_them_said_it() -> None:
    assert speaks_for(said(["mira", "jonas"]), said(["mira"]))
    assert not speaks_for(said(["mira"]), said(["mira", "jonas"]))
    assert speaks_for(said([""]), said(["mira"]))
    assert speaks_for(said(["mira"], "corrections", Channel.OUTCOME), said(["jonas"]))


def test_accounts_name_nobody() -> None:
    assert [is_person(name) for name in ("", "root", "VSCode", "runner")] == [False] * 4
    assert [is_person(name) for name in ("mira", "alice", "\u2039user:3f9c2a\u203a")] == [True] * 3
