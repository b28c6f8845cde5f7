"""Play in the browser: `rfop serve`.

`session.py` holds one game and everything that is done with it, `view.py` is the gate between a session and the
browser, `app.py` the server's routes and checks, `refusals.py` its errors and bounds, `serve.py` the command, `static/`
the page. The server needs the extra `play`; sessions and views need nothing but the package.
"""
