"""Where Chromium is, and how it comes there: `python -m tests.web.chromium` installs it (`make browser-test`)."""

import os
import shutil
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome")
MISSING = "no Chromium here: 'make browser-test' installs one, or set RFOP_CHROMIUM to the path of one"
PLAYWRIGHT = [sys.executable, "-m", "playwright", "install", "chromium"]
PATIENCE = 300  # seconds for each step of an installation
DEBIAN = (
    ["apt-get", "update", "-q"],
    ["apt-get", "install", "-qy", "--no-install-recommends", "chromium", "fonts-dejavu-core"],
)


def find():
    """The path of a Chromium: that of `RFOP_CHROMIUM`, the system's, or Playwright's own; None if there is none."""
    paths = (os.environ.get("RFOP_CHROMIUM"), *map(shutil.which, NAMES))
    executable = next((path for path in paths if path and Path(path).is_file()), None)
    return executable or _of_playwright()


def _of_playwright():
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        return None
    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if Path(path).is_file() else None


def install():
    """Playwright's Chromium, or else Debian's where this is a Debian and we may install; whether there is one now."""
    _run(PLAYWRIGHT)
    if find() is None and shutil.which("apt-get") and os.geteuid() == 0:
        for command in DEBIAN:
            _run(command)
    return find() is not None


def _run(command):
    """Run a step of an installation; what it cannot do is seen afterwards."""
    with suppress(OSError, subprocess.TimeoutExpired):
        subprocess.run(command, check=False, timeout=PATIENCE)


if __name__ == "__main__":
    if find() is None and not install():
        print(f"{MISSING}; the browser tests will be skipped", file=sys.stderr)
