"""Minari data sets of episodes: written whole or not at all, loaded by `minari.load_dataset`."""

from __future__ import annotations

import copy
import os
import re
import shutil
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np

import rfop_env
from rfop_env.core import errors
from rfop_env.core.files import PART, telling_what_fails
from rfop_env.core.game import Game
from rfop_env.interfaces.common import observation_space
from rfop_training.common.provenance import revision
from rfop_training.common.records import LOCK, locked
from rfop_training.datasets import collect

NAME = re.compile(r"[A-Za-z][\w.-]{0,80}-v\d{1,6}")
ROOT = "MINARI_DATASETS_PATH"  # the environment variable of Minari
OWN = "rfop"  # the key of our own metadata


def require_minari() -> Any:
    """The module `minari`; raises `MissingExtra`, `BrokenExtra` for it and for its files' library."""
    with errors.extra("minari", "a data set", "h5py", "minari"):
        import h5py  # noqa: F401 Minari asks for it late
        import minari
    return minari


@dataclass(frozen=True)
class Source:
    """Where episodes come from: games of one environment under the same options."""

    game: Game  # under its options
    options: Mapping[str, object]
    components: Any  # a loaded set
    reward: str | None
    agents: Sequence[str]  # who plays, by name
    episodes: Iterable[list[collect.Episode]]  # of some games at a time
    origin: Mapping[str, object]  # what else says where they are from, for JSON

    @classmethod
    def of(cls, plan: collect.Plan) -> Source:
        """The games of a plan, which are played as they are asked for."""
        return cls(
            plan.game,
            plan.options,
            plan.components,
            plan.reward,
            [agent.name for agent in plan.agents],
            collect.episodes(plan),
            {"seed": plan.seed, "games": plan.games, "opening": plan.opening},
        )


def write_dataset(
    name: str,
    plan: collect.Plan,
    root: Path | None = None,
    tell: Callable[[int, int], None] = lambda games, steps: None,
) -> Path:
    """Play the games of a plan and write them as a data set, as `write_episodes` does."""
    return write_episodes(name, Source.of(plan), root, tell)


def write_episodes(
    name: str,
    source: Source,
    root: Path | None = None,
    tell: Callable[[int, int], None] = lambda games, steps: None,
) -> Path:
    """Write the episodes of a source as a data set; returns its folder.

    `root` is the folder of all data sets; None: Minari's own. `tell` is told how many games and decisions have been
    written. Raises `MissingExtra`, and `RfopError` for a wrong name or one that is taken. However it fails, nothing is
    left behind; what a process that was killed left there goes with the next call.
    """
    minari = require_minari()
    if not NAME.fullmatch(name):
        raise errors.RfopError(
            f"the name of a data set is letters, digits and _ . - with a version, as in my-games-v0, "
            f"found {errors.shown(name, 100)}"
        )
    place = Path(os.environ.get(ROOT) or Path.home() / ".minari" / "datasets") if root is None else root
    if (place / name).exists():
        raise errors.RfopError(f"{place / name} is there already: choose another name, or remove it")
    with telling_what_fails(place):
        place.mkdir(parents=True, exist_ok=True)

    # In a folder of its own until it is whole. Minari needs its full path.
    with _part_folder(place.absolute(), name) as part:
        with _root_of_minari(part):
            _write(minari, name, source, tell)
        (part / name).rename(place / name)
    return place / name


@contextmanager
def _part_folder(place: Path, name: str) -> Iterator[Path]:
    """A hidden folder for the data set of this name while it is written; it is removed afterwards.

    Those of processes that were killed go first. Raises `RfopError` where another process writes this data set.
    """
    for lock in place.glob(f".*{PART}{LOCK}"):
        with suppress(errors.RfopError), locked(lock, "its process still runs"):
            _remove_part(lock)

    part = place / f".{name}{PART}"
    lock = part.with_name(part.name + LOCK)
    with locked(lock, f"{place / name} is being written by another process: wait for it, or choose another name"):
        try:
            shutil.rmtree(part, ignore_errors=True)
            part.mkdir()
            yield part
        finally:
            _remove_part(lock)


def _remove_part(lock: Path) -> None:
    """Remove a hidden folder, and the lock that this process holds for it."""
    shutil.rmtree(lock.with_name(lock.name.removesuffix(LOCK)), ignore_errors=True)
    lock.unlink(missing_ok=True)


@contextmanager
def _root_of_minari(folder: Path) -> Iterator[None]:
    """Have Minari write into a folder for the length of a block."""
    previous = os.environ.get(ROOT)
    os.environ[ROOT] = str(folder)
    try:
        yield
    finally:
        if previous is None:
            del os.environ[ROOT]
        else:
            os.environ[ROOT] = previous


def _write(minari: Any, name: str, source: Source, tell: Callable[[int, int], None]) -> None:
    dataset, episodes_written, steps = None, 0, 0
    for some in source.episodes:
        buffers = [_buffer(episode) for episode in some]
        if dataset is None:
            dataset = _created(minari, name, source, buffers)
        else:
            dataset.storage.update_episodes(buffers)
        storage = dataset.storage
        storage.update_episode_metadata(
            [_metadata(episode, source) for episode in some], range(episodes_written, episodes_written + len(some))
        )
        episodes_written += len(some)
        steps += sum(len(episode.actions) for episode in some)
        tell(some[-1].game + 1, steps)
    assert dataset is not None, "a source has a game at least"
    dataset.storage.update_metadata({OWN: _provenance(source)})


def _created(minari: Any, name: str, source: Source, buffers: Sequence[Any]) -> Any:
    """The data set with its first episodes."""
    game, reward = source.game, source.reward
    one_seat = game.spec.players == 1
    spec = copy.deepcopy(gymnasium.spec(f"rfop/{game.id}")) if one_seat else None
    if spec is not None:
        spec.kwargs = {**spec.kwargs, **source.options, **({} if reward is None else {"reward": reward})}
    with warnings.catch_warnings():
        # It recommends an author, an address and a link, which whoever publishes the data set adds.
        warnings.simplefilter("ignore", UserWarning)
        return minari.create_dataset_from_buffers(
            name,
            list(buffers),
            env=spec,
            observation_space=observation_space(game, True),
            action_space=gymnasium.spaces.Discrete(game.actions.size),
            algorithm_name=" ".join(dict.fromkeys(source.agents)),
            description=f"{game.title} ({game.id}): an episode for each seat of each game",
            requirements=[f"rfop-env=={rfop_env.__version__}"],
            data_format="hdf5",
        )


def _buffer(episode: collect.Episode) -> Any:
    from minari.data_collector import EpisodeBuffer

    steps = len(episode.actions)
    return EpisodeBuffer(
        seed=episode.seed,
        observations={"observation": episode.observations, "action_mask": episode.masks},
        actions=episode.actions,
        rewards=episode.rewards,
        terminations=np.arange(steps) == steps - 1,
        truncations=np.zeros(steps, np.bool_),
        infos=dict(episode.search_results) or None,
    )


def _metadata(episode: collect.Episode, source: Source) -> dict[str, Any]:
    """What Minari keeps of an episode besides its data."""
    return {
        "seed": episode.seed,
        "game": episode.game,
        "seat": source.game.spec.seats[episode.seat],
        "agent": episode.agent,
        "return": float(episode.rewards.sum()),
        "end_reason": episode.end_reason,
    }


def _provenance(source: Source) -> dict[str, Any]:
    """Everything needed to play the games again."""
    return {
        "env": source.game.id,
        "options": {name: str(value) for name, value in source.options.items()},
        "components": source.components.digest,
        "reward": source.game.rewards[0].name if source.reward is None else source.reward,
        "agents": list(source.agents),
        **source.origin,
        "version": rfop_env.__version__,
        "git": revision(),
    }
