"""`python -m learnable`: the command line, where its script is not on the path."""

from learnable.app.cli import main

if __name__ == "__main__":
    main()
