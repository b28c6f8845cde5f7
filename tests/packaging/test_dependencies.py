"""Dependencies: each has a lower bound without a known vulnerability, and the constraints are within the bounds."""

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
OWN = PROJECT["project"]["name"]
EXTRAS = PROJECT["project"]["optional-dependencies"]
OF_RAY = ("ray", "sb3", "train")  # what `make ray-test` installs, beside the dependencies and pytest

# The first release without a vulnerability that is known in November 2026, of each package that has had one.
SAFE = {
    "filelock": "4.2.1",  # CVE-2025-68146, CVE-2026-22701, CVE-2026-112935 and others of its soft locks
    "httpx2": "2.12",  # CVE-2026-84378, CVE-2026-84379
    "jupyterlab": "4.4.8",  # CVE-2025-59842
    "mcp": "2.2",  # CVE-2026-59951, CVE-2026-116686
    "pillow": "13",  # CVE-2026-59199 and others before 12.3; those of 12.3 that distributions mended by 13.0
    "playwright": "1.56",  # CVE-2025-59288
    "pytest": "9.0.3",  # CVE-2025-71176
    "ray": "2.56",  # CVE-2025-62593, CVE-2026-41486, CVE-2026-57516
    "setuptools": "84.1",  # CVE-2025-47273, CVE-2026-59890, GHSA-xmj3-9gf7-h52w
    "starlette": "1.3.1",  # CVE-2025-62727, CVE-2026-48710, CVE-2026-48817
    "torch": "2.13",  # CVE-2025-32434, CVE-2026-24747, CVE-2026-4538, CVE-2025-3000
    "tqdm": "4.66.3",  # CVE-2024-34062
}
# What calls the inside of these packages is run with the release of the constraints alone, so that is the lower bound.
AS_TESTED = ("ray", "sb3-contrib", "stable-baselines3", "tensordict", "torch", "torchrl")


def requirements(*groups):
    """The requirements of these groups, without those of the package on itself."""
    found = [Requirement(line) for group in groups for line in group]
    return [requirement for requirement in found if requirement.name != OWN]


ALL = requirements(PROJECT["build-system"]["requires"], PROJECT["project"]["dependencies"], *EXTRAS.values())


def lower_bound(requirement):
    """The least version that a requirement admits, or None."""
    bounds = [Version(part.version) for part in requirement.specifier if part.operator in (">=", "==")]
    return max(bounds, default=None)


def constraints(name):
    """The version of each package in a file of constraints."""
    lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
    pairs = [line.split("==") for line in lines if line and not line.startswith("#")]
    return {canonicalize_name(package): Version(version) for package, version in pairs}


@pytest.mark.parametrize("requirement", ALL, ids=str)
def test_a_dependency_has_a_lower_bound_without_a_known_vulnerability(requirement):
    others = [other for other in ALL if other.name == requirement.name]
    bound = max((b for b in map(lower_bound, others) if b is not None), default=None)
    assert bound is not None, "it has no lower bound"
    if requirement.name in SAFE:
        assert lower_bound(requirement) >= Version(SAFE[requirement.name])


def test_no_vulnerability_is_listed_for_a_package_that_is_none_of_ours():
    assert set(SAFE) | set(AS_TESTED) <= {requirement.name for requirement in ALL}


@pytest.mark.parametrize(
    ("file", "wanted"),
    [
        ("constraints.txt", [r for r in ALL if r.name != "ray"]),
        ("constraints-ray.txt", requirements(PROJECT["project"]["dependencies"], *(EXTRAS[name] for name in OF_RAY))),
    ],
)
def test_the_constraints_are_within_the_bounds(file, wanted):
    versions = constraints(file)
    missing = [str(r) for r in wanted if canonicalize_name(r.name) not in versions]
    assert missing == []
    outside = [str(r) for r in wanted if not r.specifier.contains(versions[canonicalize_name(r.name)])]
    assert outside == []


def test_what_is_tested_with_one_release_alone_admits_no_older_one():
    versions = constraints("constraints.txt") | {"ray": constraints("constraints-ray.txt")["ray"]}
    for requirement in ALL:
        if requirement.name in AS_TESTED:
            bound, tested = lower_bound(requirement), versions[requirement.name]
            assert bound == tested or bound.release == tested.release[: len(bound.release)], requirement


def test_the_makefile_installs_the_torch_of_the_constraints_first():
    installed = re.findall(r"pip install (?:-q )?torch==(\S+)", (ROOT / "Makefile").read_text(encoding="utf-8"))
    assert len(installed) == 3
    assert {Version(v) for v in installed} == {
        constraints(f)["torch"] for f in ("constraints.txt", "constraints-ray.txt")
    }
