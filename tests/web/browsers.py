"""Where the browsers of the tests are: `python -m tests.web.browsers` installs both (`make browser-test`).

Tests open Chromium, or with `RFOP_BROWSER=firefox` Firefox.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager, suppress
from pathlib import Path

EXECUTABLES = {"chromium": ("chromium", "chromium-browser", "google-chrome"), "firefox": ("firefox-esr", "firefox")}
PACKAGES = {"chromium": ("chromium", "fonts-dejavu-core"), "firefox": ("firefox-esr",)}  # of Debian
NAME = os.environ.get("RFOP_BROWSER", "chromium")
MISSING = f"no {NAME} here: 'make browser-test' installs one, or set RFOP_{NAME.upper()} to the path of one"
PATIENCE = 180_000  # milliseconds for what a page does, on a loaded machine
STEP = 300  # seconds for each step of an installation

DOWNLOADS = Path(tempfile.gettempdir()) / f"rfop-downloads-{os.getpid()}"  # where Firefox keeps what a page saves
LITTLE_MOTION = {"ui.prefersReducedMotion": 1}  # which Playwright cannot tell Firefox over WebDriver BiDi


def find(name=NAME):
    """The path of a browser: that of `RFOP_CHROMIUM` or `RFOP_FIREFOX`, or the system's; None if there is none."""
    paths = (os.environ.get(f"RFOP_{name.upper()}"), *map(shutil.which, EXECUTABLES[name]))
    executable = next((path for path in paths if path and Path(path).is_file()), None)
    return executable or (_of_playwright() if name == "chromium" else None)


def _of_playwright():
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        return None
    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if Path(path).is_file() else None


@contextmanager
def launched():
    """The browser; the sandbox of Chromium needs another user than root."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        if NAME == "firefox":  # the one that people have, over WebDriver BiDi
            browser = playwright.firefox.launch(
                channel="moz-firefox",
                executable_path=find(),
                firefox_user_prefs=LITTLE_MOTION,
                downloads_path=DOWNLOADS,
            )
        else:
            settings = ["--no-sandbox"] if os.geteuid() == 0 else []
            browser = playwright.chromium.launch(executable_path=find(), args=settings)
        try:
            yield browser
        finally:
            browser.close()
            shutil.rmtree(DOWNLOADS, ignore_errors=True)


def saved_text(tab, selector):
    """The text of the file that a button of a page saves."""
    if NAME != "firefox":
        with tab.expect_download() as download:
            tab.click(selector)
        return Path(download.value.path()).read_text(encoding="utf-8")
    shutil.rmtree(DOWNLOADS, ignore_errors=True)
    tab.click(selector)
    end = time.monotonic() + 30  # seconds
    while time.monotonic() < end:
        files = list(DOWNLOADS.glob("*"))  # an empty one and one that ends in ".part", until the file is whole
        if all(file.suffix != ".part" for file in files) and any(file.stat().st_size for file in files):
            return files[0].read_text(encoding="utf-8")
        time.sleep(0.05)
    raise AssertionError("Firefox saved nothing")


def install(name):
    """Playwright's browser, or else Debian's where this is a Debian and we may install; whether there is one now."""
    if name == "chromium":
        _run([sys.executable, "-m", "playwright", "install", "chromium"])
    if find(name) is None and shutil.which("apt-get") and os.geteuid() == 0:
        _run(["apt-get", "update", "-q"])
        _run(["apt-get", "install", "-qy", "--no-install-recommends", *PACKAGES[name]])
    return find(name) is not None


def _run(command):
    """Run a step of an installation; what it cannot do is seen afterwards."""
    with suppress(OSError, subprocess.TimeoutExpired):
        subprocess.run(command, check=False, timeout=STEP)


if __name__ == "__main__":
    for name in EXECUTABLES:
        if find(name) is None and not install(name):
            print(f"no {name} could be installed; its tests will be skipped", file=sys.stderr)
