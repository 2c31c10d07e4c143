"""`python -m afterwit.hook` does what `afterwit-hook` does."""

from afterwit.recall.hook.entry import main

if __name__ == "__main__":
    main()
