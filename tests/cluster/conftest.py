"""One Ray cluster of two nodes on this machine for all tests of this folder."""

from __future__ import annotations

import os

import pytest

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
STORE = 200 * 2**20


@pytest.fixture(scope="session")
def cluster():
    """A cluster of two nodes with one CPU each, which is stopped at the end."""
    pytest.importorskip("ray")
    from ray.cluster_utils import Cluster

    made = Cluster(
        initialize_head=True,
        head_node_args={"num_cpus": 1, "object_store_memory": STORE, "include_dashboard": False},
    )
    try:
        made.add_node(num_cpus=1, object_store_memory=STORE)
        made.wait_for_nodes()
        yield made
    finally:
        made.shutdown()
