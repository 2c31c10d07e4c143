"""The MCP server: tools for one agent over standard input and output. The door is `server.serve`.

`server` answers the protocol and loads nothing heavy; `backend` opens the store when the first tool is called. What
items say goes out through `notes` alone, which writes down what was told.
"""
