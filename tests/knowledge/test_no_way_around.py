"""Nobody goes around the gate: who uses its wide doors is a closed list, and whatever leaves for an agent is `Shown`.

The code is looked at, not run, and names are followed through the imports, so that neither another name nor handing a
door on as a value hides it. mypy has no part in this.
"""

import ast
from collections.abc import Iterator
from functools import cache

from tests.source_trees import nodes, parsed, texts

_GATE = {"afterwit.redaction.shown", "afterwit.knowledge.shown_items"}
_WIDE_DOORS = {  # they let through what they are given, so everybody who uses them is known
    "remembered": {"extras/memory/tool.py"},
    "asked_to_read": {"mcp/reading.py"},
    "between_markers": {
        "recall/hook/tell.py",
        "mcp/notes.py",
        "connect/plan.py",
        "extras/lab/patterns/published_words.py",
        "extras/team/push.py",
    },
    "approved": {"extras/lab/patterns/published_words.py"},
    "of_deck": {"recall/deck/reader.py"},
    "for_others": {"engine/curation/files.py", "extras/team/outgoing.py"},
    # whoever asks without a listener gets items that `may_be_told_to` let through, or shares what people approved
    "may_be_told": {"recall/situation.py", "recall/deck/firing_lines.py", "extras/team/outgoing.py"},
}
_TOLD_FIELDS = {"text", "heading", "reason", "notice", "body"}
_PLAIN_TEXTS = {  # functions beside the gate that give other texts than those for an agent
    "knowledge/brief.py": {"rests_on"},
    "reader/intake.py": {"_refusal", "_rights_needed"},
    "reader/plan.py": {"_model"},
    "recall/deck/compile.py": {"_hash", "_redaction_mark", "redact"},
    "recall/trial.py": {"_in_words"},  # for whoever compiles
    "agents/hook_payloads.py": {
        *("text_at", "all_text", "_script", "command", "path", "folder_of"),
        *("write_claude_answer", "write_plugin_answer"),  # of answers that hold what is shown
    },
    "recall/deck/reader.py": {"text", "listener_mark", "repo_of", "tree_of", "_part_path"},
    "recall/deck/firing_lines.py": {"_rank", "safe"},
    "recall/hook/call.py": {"run", "_patch_in", "_status", "summary", "tool_name"},
    "recall/deck/write.py": {"_sections"},  # as the deck stores them
    "recall/hook/triggers.py": {"_plain"},
    "recall/hook/tell.py": {"_arm"},
    "mcp/backend.py": {"agent_of"},
    "mcp/notes.py": {"literal", "one_line", "repo_of"},
    "mcp/tool.py": {"_fault", "_list_fault"},
    "mcp/reading.py": {"_repo", "_text"},
    "mcp/recall.py": {"_repo"},
    "engine/curation/files.py": {"_name", "_text"},
    "recall/recall.py": {"_recognise", "repo_at"},
    "extras/lab/patterns/published_words.py": {"unfit", "skill_name_of", "_last"},
    "extras/lab/skill_folders.py": {"skill_name"},
    "extras/lab/patterns/block_files.py": {"_block", "block_hash"},
    "connect/plan.py": {"_decoded", "_text"},
}
_PAYLOAD_FIELDS = {"text", "additionalContext", "systemMessage", "reason", "permissionDecisionReason"}


@cache
def _modules() -> tuple[tuple[str, ast.Module], ...]:
    """The modules that name the gate, or write where an agent reads."""
    wanted = ((name, text) for name, text in texts().items() if not name.startswith("knowledge/shown"))
    return tuple((name, parsed(name)) for name, text in wanted if "shown" in text or _is_writer(name))


def _is_writer(file: str) -> bool:
    return (
        file.startswith(("mcp/", "extras/memory/cli.py", "recall/hook/"))
        or (file.startswith("agents/") and file.endswith("/__init__.py"))
        or file == "agents/hook_payloads.py"
    )


@cache
def _taken(tree: ast.Module) -> dict[str, str]:
    """What a module takes from the gate: by its own name for it, the gate's."""
    imports = [node for node in nodes(tree) if isinstance(node, ast.ImportFrom) and node.module in _GATE]
    return {alias.asname or alias.name: alias.name for node in imports for alias in node.names}


def _uses(tree: ast.Module, door: str) -> list[ast.Name]:
    names = {own for own, given in _taken(tree).items() if given == door}
    return [node for node in nodes(tree) if isinstance(node, ast.Name) and node.id in names]


def _calls(tree: ast.Module, door: str) -> list[ast.Call]:
    used = _uses(tree, door)
    return [node for node in nodes(tree) if isinstance(node, ast.Call) and node.func in used]


def _annotation(node: ast.expr | None) -> str:
    return ast.unparse(node).strip("'\"") if node else ""


def test_wide_doors_are_used_by_those_who_need_them_alone() -> None:
    for door, users in _WIDE_DOORS.items():
        assert {file for file, tree in _modules() if door in _taken(tree).values()} == users, door


def test_the_gate_is_taken_by_name_and_never_whole() -> None:
    for file, tree in _modules():
        for node in nodes(tree):
            if isinstance(node, ast.Import):
                assert not {alias.name for alias in node.names} & _GATE, file
            if isinstance(node, ast.ImportFrom) and node.module in ("afterwit.knowledge", "afterwit.redaction"):
                assert not {f"{node.module}.{alias.name}" for alias in node.names} & _GATE, file


def test_doors_for_our_own_words_are_called_on_the_spot() -> None:
    for file, tree in _modules():
        for door in ("ours", "of_deck"):
            assert len(_uses(tree, door)) == len(_calls(tree, door)), (file, door)
        assert _calls(tree, "Shown") == [], file


def test_what_stands_between_shown_texts_stands_in_the_code() -> None:
    for file, tree in _modules():
        for call in _calls(tree, "joined"):
            between = [*call.args[1:], *(word.value for word in call.keywords)]
            assert all(isinstance(one, ast.Constant) for one in between), (file, ast.unparse(call))


def test_functions_beside_the_gate_that_give_text_give_what_is_shown() -> None:
    plain: dict[str, set[str]] = {}
    for file, tree in _modules():
        for node in nodes(tree) if _taken(tree) else ():
            if isinstance(node, ast.FunctionDef) and _annotation(node.returns) in ("str", "str | None", ""):
                plain.setdefault(file, set()).add(node.name)
    assert plain == _PLAIN_TEXTS


def _told_fields(tree: ast.Module) -> Iterator[tuple[str, str]]:
    for owner in (node for node in nodes(tree) if isinstance(node, ast.ClassDef)):
        for node in owner.body:
            if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                yield f"{owner.name}.{node.target.id}", _annotation(node.annotation)
            elif isinstance(node, ast.FunctionDef) and node.name == "__init__":
                arguments = (*node.args.args, *node.args.kwonlyargs)
                yield from ((f"{owner.name}.{one.arg}", _annotation(one.annotation)) for one in arguments)


def test_whatever_holds_a_text_for_an_agent_holds_what_is_shown() -> None:
    found = [
        (file, field, kind)
        for file, tree in _modules()
        if "Shown" in _taken(tree).values()
        for field, kind in _told_fields(tree)
        if field.rpartition(".")[2] in _TOLD_FIELDS
    ]
    assert [one for one in found if one[2] != "Shown"] == []
    assert len(found) >= 10


def _payloads() -> Iterator[tuple[str, str]]:
    """What is written where an agent reads it, by the file that writes it."""
    for file, tree in _modules():
        if _is_writer(file):
            for node in nodes(tree):
                if isinstance(node, ast.Dict):
                    for key, value in zip(node.keys, node.values, strict=True):
                        if isinstance(key, ast.Constant) and key.value in _PAYLOAD_FIELDS:
                            yield file, ast.unparse(value)


def test_payloads_are_filled_with_what_is_shown_alone() -> None:
    written = {(file, value) for file, value in _payloads() if value not in ("answer.text", "answer.reason")}
    assert {one for one in written if one[1] != "answer.notice"} == {
        ("extras/memory/cli.py", "answer(here.world, _arguments(), 'hermes')"),
        ("mcp/backend.py", "text"),
    }
    for file, name in (("extras/memory/tool.py", "answer"), ("mcp/notes.py", "tell_by_id")):
        returns = [
            _annotation(node.returns)
            for node in nodes(parsed(file))
            if isinstance(node, ast.FunctionDef) and node.name == name
        ]
        assert returns == ["Shown"], name


def _parameters(file: str, function: str) -> dict[str, str]:
    tree = parsed(file)
    defined = next(node for node in nodes(tree) if isinstance(node, ast.FunctionDef) and node.name == function)
    return {one.arg: _annotation(one.annotation) for one in (*defined.args.args, *defined.args.kwonlyargs)}


def test_whoever_takes_items_out_of_the_store_says_who_listens() -> None:
    for file, function in (
        ("knowledge/brief.py", "told_lines"),
        ("recall/recall.py", "speaking_items"),
        ("mcp/notes.py", "explain"),
        ("knowledge/shown_items.py", "may_be_told_to"),
    ):
        assert _parameters(file, function)["to"] == "Listener", function


def test_skills_and_blocks_are_written_of_what_is_shown_alone() -> None:
    document = _parameters("extras/lab/skill_folders.py", "skill_document")
    assert (document["description"], document["body"]) == ("Shown", "Shown")
    assert _parameters("extras/lab/patterns/block_files.py", "written")["text"] == "Shown"
    makers = {
        file
        for file, text in texts().items()
        if "SkillDocument" in text
        for node in nodes(parsed(file))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "SkillDocument"
    }
    assert makers == {"extras/lab/skill_folders.py"}
