"""A pytest plugin: tests of other people's suites that need a part of Pumice that is not there yet.

not-yet.txt beside this file has lines "pattern: the missing part"; a test whose name (without the parameters in
brackets, or with them where the pattern has brackets) matches a pattern may fail, and is counted as such.
"""

import fnmatch
import pathlib

import pytest

LIST = pathlib.Path(__file__).with_name("not-yet.txt")


def patterns():
    for line in LIST.read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            pattern, _, part = line.partition(": ")
            yield pattern.strip(), part.strip()


def pytest_collection_modifyitems(items):
    listed = list(patterns())
    for item in items:
        name = item.nodeid.rpartition("/")[2]
        for pattern, part in listed:
            subject = name if "<" in pattern or "*" in pattern else name.partition("[")[0]
            if fnmatch.fnmatchcase(subject, pattern):
                item.add_marker(pytest.mark.xfail(reason=f"not there yet: {part}", strict=False))
