"""Play in the browser: `rfop serve`.

`rfop_env.players` says who can sit in a seat, `programs.py` which programs the page offers, `session.py` holds one game
and everything that is done with it, `view.py` is the gate between a session and the browser, `app.py` the server's
routes and checks, `server.py` the command, `static/` the page. The server needs the extra `play`; sessions and views
need nothing but the package.
"""
