"""Skills that evolve: a new version of one that got worse, a first one of what sessions keep doing by hand.

`propose` finds them, `decide` lets a person try one, and `decide.advance` goes on with what was agreed: the
old and the new version lie on disk by turns, as chance has it, until one proves better. Nothing is written without a
person.
"""
