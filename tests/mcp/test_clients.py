"""Clients name themselves in their own way."""

from tests.every import for_every

from afterwit.mcp.backend import agent_of


@for_every(
    "client, agent",
    [
        ("claude-code", "claude-code"),
        ("Claude Code", "claude-code"),
        ("codex-mcp-client", "codex"),
        ("gemini-cli-mcp-client", "gemini"),
        ("qwen-cli-mcp-client-afterwit", "qwen"),
        ("opencode", "opencode"),
        ("kimi_code", "kimi-code"),
        ("pi", "pi"),
        ("api-client", ""),
        ("mcp", ""),
        ("", ""),
    ],
)
def test_the_agent_is_the_longest_name_in_whole_words(client: str, agent: str) -> None:
    assert agent_of(client) == agent
