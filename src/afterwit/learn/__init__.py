"""The conductor: capture → digest → harvest → knowledge → recall → budget; nothing else knows the order.

The door is `learn.learn`. `unchanged` tells at a glance that there is nothing to do; `sample` runs everything on trial,
to say which sessions are worth reading first; `replay` runs it up to a moment of the past, for the backtest.
"""
