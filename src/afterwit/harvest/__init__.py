"""Knowledge that finished sessions show: harvesters look at digests, and conclude drafts from what many of them show.

One module a harvester, or a few that share what they see, and all of them in `registry`; what a harvester is stands in
`harvester`. Everything is pure but `door`, which lets them see and conclude, and tells which sessions count as one.
Belief and people make items of the drafts, in `knowledge`.
"""
