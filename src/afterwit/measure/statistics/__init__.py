"""The statistics of the live effect: small formulas over sessions whose telling was drawn by chance. Pure.

`trials` says what a drawn session is, `sequence` keeps the effect with an interval that stays valid however often one
looks, `estimate` puts both into words, `fair_draws` checks that draws were as likely as recorded, `self_test` judges
arms that mean nothing in the same way, and `calibration` compares stated chances with what came true.
"""
