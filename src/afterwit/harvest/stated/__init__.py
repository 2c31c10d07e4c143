"""Harvesters of what users said. `statements` finds sentences that they typed and quotes them, `recurrence` brings
those together that say the same.
"""
