"""Patterns: what recurs in sessions of all agents, and the catalog of those that people approved.

Doors: `detect` (what is found now), `curate` (what people decide), `catalog` (what they decided).
"""
