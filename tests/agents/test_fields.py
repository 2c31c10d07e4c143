import pytest

from afterwit.agents import fields


def test_the_first_text_that_is_not_blank_is_taken() -> None:
    assert fields.text({"a": " ", "b": 3, "c": "said"}, "a", "b", "c") == "said"
    assert fields.text({}, "a") == ""


def test_only_plain_ids_pass_for_ids() -> None:
    assert fields.plain_id({"a": "two words", "b": "toolu_1:2"}, "a", "b") == "toolu_1:2"
    assert fields.plain_id({"a": "x" * 201}, "a") == ""


def test_what_is_no_object_or_list_comes_back_empty() -> None:
    assert fields.mapping({"a": []}, "a") == {}
    assert fields.mappings({"a": [{"b": 1}, None, 3]}, "a") == [{"b": 1}]
    assert fields.mappings({"a": {}}, "a") == []


def test_numbers_are_bounded_and_booleans_are_none() -> None:
    assert fields.number({"a": True, "b": 1.5}, "a", "b") == 1.5
    assert fields.number({"a": 10**30}, "a") is None
    assert fields.tokens({"a": -5}, "a") == 0
    assert fields.tokens({"a": 10**13}, "a") == 0
    assert fields.exit_code({"a": -9}, "a") == -9
    assert fields.exit_code({"a": 1 << 40}, "a") is None
    assert fields.exit_code({"a": 1.5}, "a") is None
    assert fields.duration_ms({"a": 12.6}, "a") == 13
    assert fields.duration_ms({"a": -1}, "a") is None


def test_only_booleans_are_flags() -> None:
    assert fields.flag({"a": 1, "b": False}, "a", "b") is False
    assert fields.flag({"a": "true"}, "a") is None


def test_arguments_are_an_object_or_the_text_of_one() -> None:
    assert fields.arguments({"a": 1}) == {"a": 1}
    assert fields.arguments('{"a": 1}') == {"a": 1}
    assert fields.arguments(None) == {}
    assert fields.arguments("make") == {"raw": "make"}
    assert fields.arguments("[1]") == {"raw": "[1]"}


def test_pictures_inside_of_texts_become_placeholders() -> None:
    assert fields.without_blobs("see data:image/png;base64,QUJD== here") == "see [image] here"


def test_a_file_that_is_missing_or_damaged_holds_nothing() -> None:
    assert fields.decoded_file(b'{"a": 1}') == {"a": 1}
    assert fields.decoded_file(None) == {}
    assert fields.decoded_file(b'{"a": "\xff"}') == {}
    assert fields.decoded_file(b"[1]") == {}


@pytest.mark.parametrize(
    ("instance", "remote"),
    [
        ("octo-org__tool-1234", "github.com/octo-org/tool"),
        ("octo-org__my-tool-12", "github.com/octo-org/my-tool"),
        ("octo__dot.net-1", "github.com/octo/dot.net"),
        ("tool-1234", ""),
        ("octo__tool", ""),
        ("", ""),
    ],
)
def test_the_name_of_a_task_names_its_repository(instance: str, remote: str) -> None:
    assert fields.remote_of(instance) == remote


def test_blocks_stand_under_one_another_unless_they_cut_a_token() -> None:
    assert fields.joined(["Look at step 2", "3 of them"]) == "Look at step 2\n3 of them"
    assert fields.joined(["see src/main2.c", "then stop"]) == "see src/main2.c\nthen stop"
    assert fields.joined(["use zq81kdxW77", "m4Tn8wYc1 for it", "now"]) == "use zq81kdxW77m4Tn8wYc1 for it\nnow"
    assert fields.joined([]) == ""
