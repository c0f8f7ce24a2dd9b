"""A plugin of pytest: after a fault of a kernel all else of its process fails, so nothing more is tested."""

import pytest

STICKY = "CUDA failed on GPU"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item):
    report = yield
    if report.failed and STICKY in str(report.longrepr):
        item.session.shouldstop = f"a GPU was lost in {item.nodeid}; later failures would say no more"
    return report
