"""What Afterwit is worth: a replay of the user's own history (`backtest`) and shares that are held out (`experiment`).

Players speak in the replay, and what they say is scored. The doors to the store are `backtest` and `experiment`.
"""
