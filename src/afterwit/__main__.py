"""`python -m afterwit`."""

from afterwit.cli.main import main

if __name__ == "__main__":
    main()
