"""Batches on a graphics card: the same games as on the processor, the kernel's machine code, its copy on the disk.

Where no card is, Numba's simulator plays the games, and the kernel of one game is compiled but not run.
"""

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import rfop_env
from rfop_env.compiler.code_digest import code_digest
from rfop_env.core import errors
from rfop_env.registry import get_game
from tests.docs.code_blocks import find_blocks, run_alone
from tests.libraries import cuda_games, cuda_search, cuda_training

pytestmark = [
    pytest.mark.libraries,
    pytest.mark.skipif(importlib.util.find_spec("numba_cuda") is None, reason="numba-cuda is not installed"),
]
ROOT = Path(__file__).parents[2]
HOPPER = (9, 0)  # the architecture that is compiled for where there is no card


def has_device():
    if importlib.util.find_spec("numba_cuda") is None:
        return False
    from numba import cuda

    return cuda.is_available()


on_a_card = pytest.mark.skipif(not has_device(), reason="no CUDA device")
without_a_card = pytest.mark.skipif(has_device(), reason="there is a CUDA device")


def run(*command, **environment):
    variables = {name: value for name, value in os.environ.items() if not name.startswith(("NUMBA", "RFOP_JIT"))}
    environment = {**variables, "PYTHONPATH": str(ROOT), **environment}
    return subprocess.run([sys.executable, *command], env=environment, capture_output=True, text=True, cwd=ROOT)


# -- the simulator -----------------------------------------------------------------------------------------------------


def test_the_simulator_plays_the_same_games():
    done = run("-W", "error", "-m", "tests.libraries.cuda_games", NUMBA_ENABLE_CUDASIM="1", RFOP_JIT="0")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == list(cuda_games.WAYS)


def test_the_simulator_trains_the_same_networks():
    done = run("-W", "error", "-m", "tests.libraries.cuda_training", NUMBA_ENABLE_CUDASIM="1", RFOP_JIT="0")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == list(cuda_training.WAYS)


def test_the_simulator_searches_the_same_trees():
    done = run("-W", "error", "-m", "tests.libraries.cuda_search", NUMBA_ENABLE_CUDASIM="1", RFOP_JIT="0")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == list(cuda_search.WAYS)


MAKE = "import rfop_env; rfop_env.make_batch('Revolution-v0', 2, 0, device='cuda')"


@pytest.mark.parametrize(
    ("environment", "words"),
    [({"NUMBA_ENABLE_CUDASIM": "1"}, "set RFOP_JIT=0, too"), ({"RFOP_JIT": "0"}, "unset RFOP_JIT")],
)
def test_a_card_needs_compiled_rules_and_the_simulator_plain_ones(environment, words):
    done = run("-c", MAKE, **environment)
    assert "BadArgument" in done.stderr and words in done.stderr


@without_a_card
def test_without_a_card_one_error_says_what_to_do():
    with pytest.raises(errors.NoDevice, match=r"no CUDA device \(.*\): leave device=\"cuda\" out, or run this where"):
        rfop_env.make_batch("Revolution-v0", 2, 0, device="cuda")


# -- the kernel --------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def kernels():
    """The kernels of Revolution by name."""
    from rfop_env.core.cuda import programs

    own = programs.DeviceKernels(get_game("Revolution-v0"))
    return {kind: own._parts(kind)[0] for kind in programs.SIGNATURES}


@pytest.fixture(scope="module")
def ptx(kernels):
    from rfop_env.core.cuda import programs

    return programs.compiled(kernels["advance"], programs.SIGNATURES["advance"], HOPPER)


def test_a_whole_game_is_compiled_to_machine_code(ptx):
    from rfop_env.core.cuda import programs

    assert ".target sm_90" in ptx and len(re.findall(r"\.entry\b", ptx)) == 1
    assert "call.uni" not in ptx, "every rule is expanded in place"
    assert ".local" not in ptx, "no thread needs memory of its own"
    program = programs.linked(ptx, HOPPER)
    assert program.code[:4] == b"\x7fELF" and program.entry.encode() in program.code


def test_the_search_is_compiled_to_machine_code():
    from rfop_agents.search import card
    from rfop_agents.search.forest import Forest
    from rfop_agents.search.settings import SearchSettings
    from rfop_env.core.batch import GameBatch
    from rfop_env.core.cuda import programs

    game, network = get_game("Revolution-v0"), cuda_search.OnTheProcessor()
    batch = GameBatch(game, 2, 0)
    forest = Forest(game, batch.components, batch.get_state(), np.arange(2), SearchSettings(), 10, network)
    tuples = forest._roots, forest.trees, forest._simulation, forest._leaves
    code = programs.compiled(card.make_device_search(game.rules), card.kernel_signature(*tuples), HOPPER)
    assert "call.uni" not in code and ".local" not in code
    assert programs.linked(code, HOPPER).code[:4] == b"\x7fELF"

    # Every part of every array is a word.
    arrays = [array for arrays in tuples for array in arrays]
    words = sum(5 + 2 * array.ndim for array in arrays) + 2 * 7 + 2
    assert re.search(r"\.entry[^(]*\((.*?)\)", code, re.DOTALL)[1].count(".param") == words


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("RFOP_CACHE_DIR", str(tmp_path))
    monkeypatch.delenv("RFOP_QUIET", raising=False)
    return tmp_path


def kept(cache):
    return [path for path in cache.rglob("*") if path.suffix == ".cubin"]


def test_machine_code_is_kept_by_the_digest_of_its_code(cache, monkeypatch, capsys):
    from rfop_env.core.cuda import programs

    programs_made = []

    def compiled(kernel, signature, capability):
        programs_made.append(capability)
        return f"ptx {len(programs_made)}"

    monkeypatch.setattr(programs, "compiled", compiled)
    monkeypatch.setattr(programs, "linked", lambda ptx, capability: programs.Program("entry", ptx.encode()))

    def program(capability=HOPPER, kernel=print):
        return programs.cached_program(kernel, (), capability, "game.cuda", "the rules of a game").code

    # Compiled once, for each architecture.
    assert program() == program() == b"ptx 1"
    assert program((8, 6)) == b"ptx 2" and program() == b"ptx 1"
    assert programs_made == [HOPPER, (8, 6)] and len(kept(cache)) == 2
    assert {path.parent.name for path in kept(cache)} == {code_digest(print).text}
    assert "for the graphics card" in capsys.readouterr().err

    # Damaged files and other code are compiled anew.
    for path in kept(cache):
        path.write_bytes(path.read_bytes()[:-1])
    assert program() == b"ptx 3" and program() == b"ptx 3"
    assert program(kernel=lambda states: states) == b"ptx 4" and programs_made.count(HOPPER) == 3


def test_kernels_are_compiled_ahead_where_no_card_is(cache):
    words = ("-m", "rfop_env", "compile", "Revolution-v0", "--device", "cuda", "--capability", "9.0")
    first, second = (run(*words, RFOP_CACHE_DIR=str(cache)) for _ in range(2))
    assert first.returncode == second.returncode == 0, first.stderr
    assert "for the graphics card" in first.stderr and "compiling" not in second.stderr
    assert re.match(rf"ready after \d+ s: Revolution; kept in {cache / 'rfop'}", second.stdout)
    assert len(kept(cache)) == 6 and all(b"\x7fELF" in path.read_bytes() for path in kept(cache))


def test_a_card_that_nvidias_libraries_do_not_know_is_told(cache, kernels):
    from rfop_env.core.cuda import programs

    with pytest.raises(errors.NoDevice, match=r"capability 99\.0 \(.*\): pip install -U"):
        programs.cached_program(kernels["seat"], programs.SIGNATURES["seat"], (99, 0), "game.cuda", "copies of a game")
    assert not kept(cache)


def test_actions_on_the_card_have_one_dtype_and_shape(monkeypatch):
    from rfop_env.core.cuda import batch

    def given(shape, dtype, contiguous=True):
        array = SimpleNamespace(shape=shape, dtype=np.dtype(dtype), strides=(8,), is_c_contiguous=lambda: contiguous)
        array.__cuda_array_interface__ = {}
        return array

    monkeypatch.setattr(batch.device, "as_device_array", lambda array: array)
    own = batch.CudaBatch.__new__(batch.CudaBatch)
    own.num_games = 3
    right = given((3,), np.int64)
    assert own._checked_actions(right) is right
    assert own._checked_actions([1, 2, 3]).dtype == np.int64
    for value in (given((2,), np.int64), given((3, 1), np.int64), given((3,), np.int32), given((3,), np.int64, False)):
        with pytest.raises(errors.BadActions):
            own._checked_actions(value)
    with pytest.raises(errors.BadActions, match=r"use actions\.long\(\)\.contiguous\(\)"):
        own._checked_actions(given((3,), np.int32))


# -- the page ----------------------------------------------------------------------------------------------------------


EXAMPLES = {name: source for name, source in find_blocks("docs/interfaces.md", "py").items() if "cuda" in source}


def test_the_first_example_of_the_page_runs_on_the_simulator(tmp_path):
    source = next(iter(EXAMPLES.values()))
    assert "REVOLUTION" in run_alone(source, tmp_path, NUMBA_ENABLE_CUDASIM="1", RFOP_JIT="0")


# -- the benchmark -----------------------------------------------------------------------------------------------------

BENCH = """
from training.research import device_speed
from rfop_env.testing import speed
from rfop_env.testing.speed import Settings
settings = Settings(seconds=0.001, runs=3)
report = device_speed.bench(settings, ["Revolution-v0"], (2, 3))
print(device_speed.tables(report))
assert [(case.mode, case.games) for case in report.cases] == [
    (speed.IN_KERNEL, 4), (device_speed.ON_CARD, 2), (device_speed.ON_CARD, 3)
]
"""


def test_the_benchmark_measures_the_card_beside_a_core():
    small = "from training.research import device_speed; device_speed.ON_CORE = 4\n"
    done = run("-c", small + BENCH, NUMBA_ENABLE_CUDASIM="1", RFOP_JIT="0")
    assert done.returncode == 0, done.stderr
    assert "Numba's simulator" in done.stdout
    assert "| 2 games | 3 games | 4 games |" in done.stdout and "| Revolution-v0 | graphics card" in done.stdout


# -- on a card ---------------------------------------------------------------------------------------------------------


@on_a_card
@pytest.mark.parametrize("check", cuda_games.CHECKS)
def test_on_a_card(check):
    check()


@on_a_card
@pytest.mark.slow
@pytest.mark.parametrize("way", cuda_games.WAYS)
def test_ten_thousand_games_are_the_same_on_a_card(way):
    cuda_games.play(way, 10_000, 40, close=True)


@on_a_card
@pytest.mark.parametrize("check", cuda_search.CHECKS)
def test_searching_on_a_card(check):
    check()


@on_a_card
@pytest.mark.parametrize("way", [way for way in cuda_search.WAYS if "network" not in way])
def test_a_card_searches_the_same_trees(way):
    torch_on_a_card()
    cuda_search.check_same_search(way)


def torch_on_a_card():
    if not pytest.importorskip("torch").cuda.is_available():
        pytest.skip("this torch knows no CUDA")


@on_a_card
@pytest.mark.parametrize("check", cuda_training.CHECKS)
def test_training_on_a_card(check):
    torch_on_a_card()
    check()


@on_a_card
@pytest.mark.parametrize("way", cuda_training.WAYS)
def test_a_card_trains_from_as_many_decisions(way):
    torch_on_a_card()
    cuda_training.check_same_training(way, exactly=False)


@on_a_card
def test_torch_shares_the_arrays_of_a_card():
    torch_on_a_card()
    import torch

    here, there = cuda_games.both("Revolution-v0", 1000, 0, autoreset=True)
    mask = torch.as_tensor(there.action_mask, device="cuda")
    observation = torch.as_tensor(there.observation, device="cuda")
    assert observation.data_ptr() == there.observation.__cuda_array_interface__["data"][0]
    for _ in range(50):
        actions = mask.float().multinomial(1).squeeze(1)
        there.step(actions)
        here.step(actions.cpu().numpy())
        np.testing.assert_array_equal(mask.cpu().numpy(), here.action_mask)
        np.testing.assert_array_equal(observation.cpu().numpy(), here.observation)
    with pytest.raises(errors.BadActions, match="int64"):
        there.step(actions.int())


@on_a_card
@pytest.mark.parametrize("source", EXAMPLES.values(), ids=EXAMPLES)
def test_an_example_of_the_page_runs_on_a_card(source, tmp_path):
    torch_on_a_card()
    run_alone(source, tmp_path)


@on_a_card
def test_more_games_than_the_card_holds_are_refused():
    with pytest.raises(errors.BadArgument, match="the graphics card has"):
        rfop_env.make_batch("Revolution-v0", 2**40, device="cuda")
