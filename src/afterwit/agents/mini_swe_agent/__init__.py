"""mini-SWE-agent, which works on benchmarks."""

AGENT = {
    "name": "mini-swe-agent",
    "rank": 250,
    "reader": "mini_swe_agent.reader:MiniSweAgentReader",
    "transcripts": ("**/*.traj.json", "**/traj.json"),
}
