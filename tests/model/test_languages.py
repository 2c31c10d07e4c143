"""Whether a sentence is written as somebody types."""

from tests.every import for_every

from afterwit.model.text import has_disguised_word, has_strange_letters, is_of_another_language

ENGLISH = ("Let the press count barrels, please.",)
FOREIGN = (
    "Zähle die Fässer immer zuerst, bevor du etwas schiebst.",
    "Cuenta siempre los barriles antes de hacer un cambio.",
    "Il faut toujours compter les barils avant de valider.",
    "Conta sempre i barili prima di ogni modifica.",
    "Conte sempre os barris antes de cada mudança.",
    "Tel altijd de vaten voordat je iets wijzigt.",
    "Zawsze licz beczki przed każdą zmianą.",
    "Всегда считай бочки перед каждым коммитом.",
    "コミットの前に必ず樽を数えてください。",
    "提交之前总是先数桶。",
)


@for_every("sentence", FOREIGN)
def test_another_language_than_the_users_is_known(sentence: str) -> None:
    assert is_of_another_language(sentence, ENGLISH)
    assert not is_of_another_language(sentence, (sentence,)), "unless they type in it"


@for_every(
    "sentence",
    [
        "The shell is zsh: a glob without a match aborts with `no matches found` and exit 1.",
        "Never commit generated files directly.",
        "`make seed` fails before the tables exist.",
        "Naïve tests of the café module fail, use `src/café.ts`.",
        'It says "Keine Zeile gefunden" when the table is empty.',
    ],
)
def test_english_is_everybodys(sentence: str) -> None:
    assert not is_of_another_language(sentence, ())


def test_letters_that_look_alike_in_one_word_are_a_disguise() -> None:
    assert has_disguised_word("Run the m\u0430ke target.")
    assert has_disguised_word("Run the ｍake target.")
    assert not has_disguised_word("Запусти make сейчас, API使用, 5 µs, naïve.")


def test_letters_of_another_script_are_strange_until_they_are_typed() -> None:
    assert has_strange_letters("counting бочки", ENGLISH)
    assert not has_strange_letters("counting бочки", ("считай бочки",))
