"""Trajectories in the exchange format ATIF."""

AGENT = {
    "name": "atif",
    "rank": 260,
    "reader": "atif.reader:AtifReader",
    "transcripts": ("**/trajectory.json", "**/*.trajectory.json"),
}
