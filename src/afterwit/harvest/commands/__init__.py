"""Harvesters of command lines, and what they share: what a command is run for (`purposes`), how sessions run it
(`invocations`), and what it can do that only a person may advise (`power`, which is the door for others).
"""
