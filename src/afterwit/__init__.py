"""Afterwit reads the finished sessions of coding agents and hands what they learned to the next one."""

__version__ = "0.1.0"
