"""The connection to a Ray cluster: one clear error for whatever is wrong with it, and nothing left behind."""

from __future__ import annotations

import logging
import os
import re
import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import rfop_agents
import rfop_env
import rfop_training
from rfop_env.compiler.code_digest import source_stamp
from rfop_env.core.errors import RfopError, extra

TESTED = "2.60"  # the version of Ray that RLlib's adapters are written for
HERE = "auto"  # the address of the cluster that this machine belongs to
LOCAL = "local"  # the address of a Ray that is started on this machine alone, and stopped at the end
ADDRESS = (
    f"HOST:PORT of a Ray cluster, {HERE!r} for the one that this machine belongs to, or {LOCAL!r} to start Ray on this "
    "machine alone"
)
STORE = 200 * 2**20  # bytes of the object store of a Ray of our own
REACH = 10.0  # seconds to reach the address of a cluster
ANSWER = 180.0  # seconds for a node to start a process that imports this code
INSTALL = '-c constraints-ray.txt -e ".[ray]", in an environment of its own'
PACKAGES = (rfop_env, rfop_agents, rfop_training)


@contextmanager
def connected(address: str, cpus: int = 1) -> Iterator[Any]:
    """The module `ray`, connected for the block to the cluster at an address.

    With `LOCAL` as the address, Ray is started on this machine alone with so many `cpus`, and stopped afterwards. A
    connection that this process has already is used and stays. Raises `MissingExtra` without Ray, and `RfopError` for
    another version of it, an address without a cluster, and nodes that cannot run this code or have another version.
    """
    ray = require_ray()
    if ray.is_initialized():
        yield ray
        return

    settings: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
    if address != LOCAL:
        settings["address"] = _reachable(address)
    else:
        settings |= {"address": LOCAL, "num_cpus": cpus, "object_store_memory": STORE, "include_dashboard": False}
    terminate = signal.getsignal(signal.SIGTERM)
    try:
        _begin(ray, address, settings)
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, terminate)  # Ray's own would end this process before it saves
        if address != LOCAL:
            check_nodes(ray)
        yield ray
    finally:
        ray.shutdown()


def require_ray() -> Any:
    """The module `ray`. Raises `MissingExtra` and `BrokenExtra`, and `RfopError` if it is another version."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    with extra("ray", "work over Ray", "ray", install=INSTALL):
        import ray
    if not ray.__version__.startswith(f"{TESTED}."):
        raise RfopError(f"Ray {TESTED} is needed, found {ray.__version__}: pip install 'ray[rllib]=={TESTED}.0'")
    return ray


def _reachable(address: str) -> str:
    """The address, once something answers there. Raises `RfopError`."""
    if address == HERE:
        return address
    match = re.fullmatch(r"(?:([\w.-]+)|\[([\da-fA-F:]+)\]):(\d{1,5})", address)
    if match is None:
        raise RfopError(f"--ray {address}: expected {ADDRESS}")
    try:
        socket.create_connection((match[1] or match[2], int(match[3])), timeout=REACH).close()
    except (OSError, OverflowError) as error:
        raise RfopError(
            f"--ray {address}: no cluster answers there ({error}): start one with 'ray start --head', or correct it"
        ) from error
    return address


def _begin(ray: Any, address: str, settings: dict[str, Any]) -> None:
    """Connect, or start Ray. Raises `RfopError`: Ray itself raises nearly anything."""
    try:
        ray.init(**settings)
    except ConnectionError as error:
        if address == HERE:
            raise RfopError(
                f"--ray {HERE}: this machine is in no cluster: start one with 'ray start --head', or give HOST:PORT"
            ) from error
        raise RfopError(f"--ray {address}: no Ray cluster is there: {_first_line(error)}") from error
    except Exception as error:
        local = address == LOCAL
        what = "Ray cannot be started here" if local else f"--ray {address}: the cluster refuses this process"
        raise RfopError(f"{what}: {_first_line(error)}") from error


def _first_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return lines[0][:300]


def code_stamp() -> str:
    """A hash of the Python files of this project, of Numba's version and of Python's."""
    return source_stamp(tuple(Path(str(package.__file__)).parent for package in PACKAGES))


def check_nodes(ray: Any) -> None:
    """Raise `RfopError` if a node cannot import this project, or has another version of it."""
    own, probe = code_stamp(), ray.remote(num_cpus=0, max_retries=0)(code_stamp)
    stamps = {node: probe.options(scheduling_strategy=on_node(node)).remote() for node in nodes(ray)}
    for node, stamp in stamps.items():
        try:
            remote_stamp = ray.get(stamp, timeout=ANSWER)
        except Exception as error:  # whatever the process there ran into
            raise RfopError(
                f"node {node_address(ray, node)} cannot run this project ({_first_line(error)}): install the same "
                "revision there, too"
            ) from error
        if remote_stamp != own:
            raise RfopError(
                f"node {node_address(ray, node)} has other code, Numba or Python than this machine: "
                "install the same revision on every node"
            )


def nodes(ray: Any) -> list[str]:
    """The ids of the nodes that are alive."""
    return [node["NodeID"] for node in ray.nodes() if node["Alive"]]


def node_address(ray: Any, node: str) -> str:
    """The network address of a node."""
    return next(str(entry["NodeManagerAddress"]) for entry in ray.nodes() if entry["NodeID"] == node)


def on_node(node: str) -> Any:
    """The scheduling strategy of a task that runs on this node alone."""
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    return NodeAffinitySchedulingStrategy(node, soft=False)


def require_cpus(ray: Any, count: int, flag: str) -> None:
    """Raise `RfopError` if the cluster has fewer processors than `count`, which would wait for ever."""
    cpus = int(ray.cluster_resources().get("CPU", 0))
    if cpus < count:
        raise RfopError(f"{flag} {count}: the cluster has {cpus} CPUs: give fewer, or add nodes")
