"""`python -m rfop_env` is the command `rfop`."""

from rfop_env.cli.main import main

raise SystemExit(main())
