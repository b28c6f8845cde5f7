"""The real server on a thread, and a headless Chromium to look at it."""

import contextlib
import os
import secrets
import threading

import uvicorn

from rfop_env.component_files import ComponentSets
from rfop_env.web.app import make_app
from rfop_env.web.server import bind
from tests.web import chromium


@contextlib.contextmanager
def served(programs, folder, component_sets=None):
    """The link to a server that runs as long as the block."""
    bound, token = bind(0), secrets.token_urlsafe(9)
    port = bound.getsockname()[1]
    app = make_app(programs, component_sets or ComponentSets(), folder, token, port)
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning", ws="none", timeout_graceful_shutdown=1))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]})
    thread.start()
    try:
        yield f"http://127.0.0.1:{port}/?token={token}"
    finally:
        server.should_exit = True
        thread.join()


@contextlib.contextmanager
def launched():
    """The browser; its sandbox needs another user than root."""
    from playwright.sync_api import sync_playwright

    path = chromium.find()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"] if os.geteuid() == 0 else [])
        try:
            yield browser
        finally:
            browser.close()
