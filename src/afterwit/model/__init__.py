"""The values that all stages share: what is read, captured, digested and known, and how a run is asked and reported.

Imports nothing of the other packages. Modules that hooks load (`kinds`, `quick_json`, `standard_streams`) use the
standard library alone, so nothing is imported here.
"""
