"""What Afterwit is worth: a replay of the user's own history (`backtest`), shares that are held out (`experiment`), and
standing figures (`report`).

Players speak in the replay, and what they say is scored. `metrics` counts what happened, `dashboard` puts it into words
and pictures. The doors to the store are `backtest`, `experiment`, `metrics.collect` and `report`.
"""
