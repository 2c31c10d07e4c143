"""Who knows the order of the stages: capture → digest → harvest → knowledge → recall → budget.

`learn` conducts; `replay` does the same up to a moment of the past, for backtests; `unchanged` tells at a glance that
there is nothing to do; `sample` runs everything on trial, to say which sessions are worth reading first. `archive`
keeps, gives up, erases and makes again what was stored, `curation` is what people decide about notes, `doctor` says
whether all of it is well.
"""
