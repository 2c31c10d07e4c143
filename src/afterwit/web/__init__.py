"""The web page: one local site that shows what Afterwit knows, and takes decisions about it. The door is `serve.serve`.

A way in like the command line: it parses, calls the function that the command of the same name calls, and shows what
it gave. It binds to this machine alone, lives as long as its command, and asks nobody else for anything.
"""
