"""`python -m translator`: the program `translate`."""

from translator.cli.main import main

if __name__ == "__main__":
    raise SystemExit(main())
