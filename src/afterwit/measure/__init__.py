"""What Afterwit is worth: a replay of the user's own history (`backtest`), shares that are held out (`experiment`), and
standing figures (`report`).

Players speak in the replay, and what they say is scored. `collect` counts what happened, `report` puts it into words.
The doors to the store are `backtest`, `experiment`, `collect` and `report`.
"""
