"""`python -m afterwit.hook` does what `afterwit-hook` does."""

from afterwit.hook.entry import main

main()
