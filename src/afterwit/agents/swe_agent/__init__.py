"""SWE-agent, which works on benchmarks."""

AGENT = {
    "name": "swe-agent",
    "rank": 240,
    "reader": "swe_agent.reader:SweAgentReader",
    "transcripts": ("**/*.traj",),
    "tools": {"read": ("open", "goto", "scroll_up", "scroll_down")},
}
