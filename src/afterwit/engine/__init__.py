"""Who knows the order of the stages: capture → digest → harvest → knowledge → recall → budget.

`learn` conducts, `sweep` is one run of the stages, `unchanged` tells at a glance that there is nothing to do; `replay`
does the same up to a moment of the past, for backtests. `archive` keeps, gives up, erases and makes again what was
stored, `curation` is what people decide about notes, `doctor` says whether all of it is well; `faults` writes down
faults of our own.
"""
