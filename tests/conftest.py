"""The fast suite is plain Python; the option `--times` prints the processor seconds of each folder of tests."""

from __future__ import annotations

import os
from collections import Counter

import pytest

NAME = "processor seconds"


def pytest_addoption(parser):
    parser.addoption("--times", action="store_true", help="print the processor seconds of each folder of tests")


def pytest_configure(config):
    if config.args_source is config.ArgsSource.TESTPATHS:  # no arguments: the fast suite, without the compiler
        os.environ.setdefault("RFOP_JIT", "0")
    if config.getoption("--times"):
        config.pluginmanager.register(Times())


@pytest.fixture(scope="module")
def browser():
    """A headless browser; tests that want one are skipped where none is installed."""
    from tests.web import browsers  # which only some environments can run

    if browsers.find() is None:
        pytest.skip(browsers.MISSING)
    with browsers.launched() as browser:
        yield browser


def processor_seconds():
    """Of this process, and of those that it has started and waited for."""
    return sum(os.times()[:4])


def folder_of(nodeid):
    """`tests/core` of a test in that folder; `tests` of one that lies in none."""
    return "/".join(nodeid.split("::")[0].split("/")[:2]) if nodeid.count("/") > 1 else "tests"


class Times:
    """Adds up what tests and fixtures take. A worker of xdist sends its share with each report."""

    def __init__(self):
        self.last = processor_seconds()
        self.seconds = Counter()

    def pytest_runtestloop(self):
        self.last = processor_seconds()  # what was imported and collected before is of no test

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self):
        report = yield
        now = processor_seconds()
        report.user_properties.append((NAME, now - self.last))
        self.last = now
        return report

    def pytest_runtest_logreport(self, report):
        seconds = dict(report.user_properties).get(NAME, 0.0)  # none where a worker has crashed
        self.seconds[folder_of(report.nodeid)] += seconds

    def pytest_terminal_summary(self, terminalreporter):
        terminalreporter.section(NAME)
        for folder, seconds in self.seconds.most_common():
            terminalreporter.write_line(f"{seconds:7.1f}  {folder}")
        terminalreporter.write_line(f"{self.seconds.total():7.1f}  together")
