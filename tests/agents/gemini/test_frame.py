from tests.every import for_every

from afterwit.agents.gemini import unframed


@for_every(
    "text, expected",
    [
        ("Command: ls\nDirectory: (root)\nOutput: a\nb\nError: (none)\nExit Code: 2\nSignal: 0", ("a\nb", 2)),
        ("Command: a\n b\nDirectory: lib\nStdout: (empty)\nStderr: no\nError: (none)\nExit Code: 0", ("Stderr: no", 0)),
        ("Output: a\nError: b\nError: c\nExit Code: 1", ("a\nError: b\nError: c", 1)),
        ("<untrusted_context>\nOutput: hi\nProcess Group PGID: 4\n</untrusted_context>", ("hi", None)),
        ("Output: Exit Code: 7 is printed\nExit Code: 1", ("Exit Code: 7 is printed", 1)),
        ("Output: (empty)\nExit Code: (none)", ("", None)),
        ("plain words\nExit Code: 3", ("plain words\nExit Code: 3", None)),
        ("", ("", None)),
    ],
)
def test_the_frame_around_a_commands_output_is_taken_off(text: str, expected: tuple[str, int | None]) -> None:
    assert unframed(text) == expected
