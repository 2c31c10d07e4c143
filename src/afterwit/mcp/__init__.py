"""The MCP server: tools and resources for one agent over standard input and output. The door is `stdio.serve`.

`server` answers the protocol and loads nothing heavy; `desk` opens the store when the first tool is called. What items
say goes out through `given` alone, which notes what was told.
"""
