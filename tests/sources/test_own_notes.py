import json

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.thoroughness import examples

from afterwit.redaction.markers import marked
from afterwit.sources.framing import without_own_notes

NOTE = marked('Use `pnpm`.\nIt\'s "quoted" — and ü.')
VALUES = st.recursive(
    st.sampled_from(
        ["pears", "", 'a "b" \\ c\n', "ünï", 7, None, f"x\n{NOTE}", f"<hook_context>{NOTE}</hook_context>"]
    ),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "b", "c"]), inner, max_size=3),
    max_leaves=8,
)


def test_a_record_without_a_note_is_the_same_bytes() -> None:
    raw = b'{"text": "pears", "odd": "\\ud800"}'
    assert without_own_notes(raw) is raw


def test_a_note_inside_json_inside_a_string_goes() -> None:
    inner = json.dumps({"output": f"no pears\n\n{NOTE}", "exit_code": 2})
    raw = json.dumps({"content": inner}).encode()
    assert json.loads(json.loads(without_own_notes(raw))["content"]) == {"output": "no pears", "exit_code": 2}


def test_a_note_behind_json_inside_a_string_goes() -> None:
    raw = json.dumps({"content": f'{{"exit_code": 2}}\n\n{NOTE}'}).encode()
    assert json.loads(json.loads(without_own_notes(raw))["content"]) == {"exit_code": 2}


def test_quoted_output_that_is_no_json_keeps_its_line_breaks() -> None:
    raw = json.dumps({"content": f'say "one\n{NOTE}\ntwo" and "three"'}).encode()
    assert json.loads(without_own_notes(raw)) == {"content": 'say "one\n\ntwo" and "three"'}


def test_a_text_that_is_no_json_is_left_to_its_reader() -> None:
    raw = f'user: "{NOTE}"'.encode()
    assert without_own_notes(raw) is raw


@given(value=st.lists(VALUES, max_size=4), is_ascii=st.booleans())
@settings(max_examples=examples(120))
def test_every_value_stays_where_it_was(value: list[object], is_ascii: bool) -> None:
    raw = json.dumps([*value, "end"], ensure_ascii=is_ascii).encode()
    clean = without_own_notes(raw)
    assert len(clean) == len(raw)
    assert clean.rindex(b'"end"') == raw.rindex(b'"end"')
    ours = json.dumps(NOTE, ensure_ascii=False)[1:-1]
    expected = json.dumps(value, ensure_ascii=False)
    for told in (f"\\n{ours}", f"<hook_context>{ours}</hook_context>"):
        expected = expected.replace(told, "")
    assert json.loads(clean)[:-1] == json.loads(expected)
