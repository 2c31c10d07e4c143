"""Harvesters of what people and agents said. `statements` finds sentences that hold beyond their day and quotes them,
`recurrence` brings those together that say the same.
"""
