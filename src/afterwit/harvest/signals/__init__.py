"""Signals of patterns: what in one session others may have met, too, under a name that is the same for all agents.

They are kept beside the sightings of harvesters and concluded by nobody: `extras.lab.patterns.detect` looks at all of
them.
"""
