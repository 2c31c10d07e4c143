from afterwit.agents.claude_code.content import loaded_file
from afterwit.agents.claude_code.records import Attachment


def test_a_file_that_the_client_loaded_is_told_whole() -> None:
    text = "Pick plums. " * 2_000
    loaded = Attachment(
        type="nested_memory", path="/srv/orchard/CLAUDE.md", content={"type": "Project", "content": text}
    )
    assert loaded_file(loaded) == ("/srv/orchard/CLAUDE.md", text)


def test_other_attachments_are_no_files_of_instructions() -> None:
    assert loaded_file(Attachment(type="file", path="CLAUDE.md", content="Pick plums.")) is None
    assert loaded_file(Attachment(type="nested_memory", content="Pick plums.")) is None
