"""Fixtures: a browser of a module's tests, and a cluster with something to see."""

from collections.abc import Generator

import pytest
from playwright.sync_api import Browser

from mockbroker import Cluster
from tests.support.browser import Looker, looking, started_browser
from tests.support.seen_cluster import seen_cluster


@pytest.fixture(scope="module")
def browser() -> Generator[Browser]:
    """Chromium, for the tests of one module: its event loop must not outlive them."""
    with started_browser() as browser:
        yield browser


@pytest.fixture
def cluster() -> Generator[Cluster]:
    """A cluster with something to see."""
    with seen_cluster() as cluster:
        yield cluster


@pytest.fixture
def looker(browser: Browser, cluster: Cluster) -> Generator[Looker]:
    """Someone who looks at it."""
    with looking(browser, cluster) as looker:
        yield looker
