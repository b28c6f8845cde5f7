"""Named baselines: small trained networks that come with the package: `rfop_agents.load("red-flag/ppo-3", game)`.

A baseline is two files of this folder: `red-flag/ppo-3.safetensors` has the weights and the environment they are for,
`red-flag/ppo-3.toml` has metadata: how it was trained, and how it scores on public deals. `python -m training.research
publish` makes both from a run; a test plays every baseline against its published scores.
"""

from __future__ import annotations

import json
import re
import shlex
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from rfop_agents.network import NetworkAgent
from rfop_env.core.errors import RfopError
from rfop_env.core.game import Game
from rfop_env.markdown import markdown_table
from rfop_env.core.files import write_whole

FOLDER = Path(__file__).parent
MOST_BYTES = 2_000_000  # of a baseline's weights


@dataclass(frozen=True)
class Score:
    """The score of a baseline against an opponent in a seat, on the deals of its metadata."""

    opponent: str  # "-" in a game of one seat
    side: str  # "all" for all seats together
    games: int
    win_rate: float
    low: float  # 95 % interval
    high: float
    points: float  # mean of the game's own points
    check_wins: float  # of the first `check_deals` deals, played separately, which the test plays again


@dataclass(frozen=True)
class BaselineMetadata:
    """How a baseline was trained, and how it scores."""

    name: str  # "red-flag/ppo-3"
    rules: str  # the game's folder
    version: int  # of the environment
    components: str  # digest of the set
    env: str  # environment id it was trained and scored in
    option: str  # of that environment: "players=3,screens=open"
    temperature: float  # at which it samples its actions; 0: it takes the most likely one
    command: str  # the command that trained it
    steps: int  # decisions it learned from
    minutes: float  # of training
    seed: int
    git: str
    versions: str  # of Python and libraries
    opening: int  # random decisions that started each game of the scores
    first_deal: int
    deals: int
    check_deals: int
    rounding: str  # digest of how the machine that scored it rounds sums (`rfop_training.common.provenance`)
    scores: tuple[Score, ...]

    @property
    def headline(self) -> list[Score]:
        """The summary: scores over all seats, or by sides in a game of one seat."""
        return [score for score in self.scores if score.side == "all" or score.opponent == "-"]

    @property
    def on_card(self) -> bool:
        """Whether it was trained on a graphics card, at least in part: minutes there are worth more."""
        return "--device cuda" in self.command


def baseline_path(name: str, suffix: str = ".safetensors") -> Path:
    """The file of a baseline."""
    return FOLDER / (name + suffix)


def all_names() -> list[str]:
    """The baselines of all games, by name, numbers by their size."""
    stems = (path.relative_to(FOLDER).with_suffix("").as_posix() for path in FOLDER.glob("*/*.toml"))
    return sorted(stems, key=size_key)


def size_key(name: str) -> list[tuple[int, str]]:
    """A key that sorts the names of agents with numbers by their size: `solo-9` before `solo-10`."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", name)]


def names(game: Game) -> list[str]:
    """The baselines for the rules of a game, by name."""
    return [name for name in all_names() if read_metadata(name).rules == game.rules_name]


def is_baseline(name: str) -> bool:
    """Whether there is a baseline of this name, for any game."""
    return name.count("/") == 1 and baseline_path(name, ".toml").is_file()


def read_metadata(name: str) -> BaselineMetadata:
    """The metadata of a baseline. Raises `RfopError` where a field is missing or unknown."""
    path = baseline_path(name, ".toml")
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
        return BaselineMetadata(
            name=name, **{**content, "scores": tuple(Score(**score) for score in content.get("scores", []))}
        )
    except (TypeError, ValueError, OSError) as error:
        raise RfopError(f"{path}: {error}") from error


def write_metadata(metadata: BaselineMetadata, path: Path) -> None:
    """Write metadata as TOML."""
    lines = [f"{name} = {_toml(value)}" for name, value in _items(metadata) if name not in ("name", "scores")]
    for score in metadata.scores:
        lines += ["", "[[scores]]", *(f"{name} = {_toml(value)}" for name, value in _items(score))]
    write_whole(path, "\n".join(lines) + "\n")


def _items(record: Any) -> list[tuple[str, Any]]:
    return [(f.name, getattr(record, f.name)) for f in fields(record)]


def _toml(value: str | int | float) -> str:
    return json.dumps(round(value, 6) if isinstance(value, float) else value, ensure_ascii=False)


def load(
    name: str, game: Game, components: Any, temperature: float | None = None, any_components: bool = False
) -> NetworkAgent:
    """A baseline as an agent, with its published temperature or with another one.

    Raises `VersionMismatch` for another game, environment version or component set than it was trained for; with
    `any_components` the set may be another one, and the agent's name says so.
    """
    if temperature is None:
        temperature = read_metadata(name).temperature
    path, sample = baseline_path(name), temperature > 0
    agent = NetworkAgent(path, game, components, sample, temperature or 1.0, any_components)
    agent.call(name)
    return agent


def lineage(baseline: BaselineMetadata) -> list[BaselineMetadata]:
    """A baseline and the shipped ones that its training began from, the newest first.

    A start is named in the command: by the name of a baseline, or by the folder of the run that became one. The list
    ends with a network that began from nothing, or from one that is not shipped.
    """
    ancestors, shipped = [baseline], [read_metadata(name) for name in all_names()]
    while start := _argument(ancestors[-1], "--init-from"):
        starts = [b for b in shipped if start in (b.name, _argument(b, "--run")) and b not in ancestors]
        if not starts:  # it is not shipped, or a run that became no baseline
            break
        ancestors.append(max(starts, key=lambda ancestor: ancestor.steps))
    return ancestors


def _argument(baseline: BaselineMetadata, flag: str) -> str:
    """What follows a flag in the command of a baseline; "" where it has none."""
    words = [*shlex.split(baseline.command), flag, ""]
    return words[words.index(flag) + 1]


def baselines_table(baselines: Sequence[BaselineMetadata] | None = None) -> str:
    """A Markdown table of baselines (default: all), with the wins of each against every opponent."""
    if baselines is None:
        baselines = [read_metadata(name) for name in all_names()]
    if not baselines:
        return "There is none yet."
    rows = []
    for baseline in baselines:
        env = f"`{baseline.env}`" + (f", {baseline.option}" if baseline.option else "")
        minutes = f"{baseline.minutes:.0f} minutes" + (" on a graphics card" if baseline.on_card else "")
        trained = f"{baseline.steps / 1e6:.1f} million decisions, {minutes}, seed {baseline.seed}"
        ancestors = lineage(baseline)
        if len(ancestors) > 1:
            total = sum(ancestor.minutes for ancestor in ancestors)
            trained += f"; from `{ancestors[1].name}`, in all {total:.0f} minutes"
        if start := _argument(ancestors[-1], "--init-from"):
            trained += f"; began with `{start}`, which is neither shipped nor counted"
        wins = "; ".join(f"{_against(s)} {s.win_rate:.1%} ({s.low:.1%} to {s.high:.1%})" for s in baseline.headline)
        rows.append([f"`{baseline.name}`", env, trained, wins])
    return markdown_table(["baseline", "environment", "trained", "wins, with 95 % intervals"], rows)


def _against(score: Score) -> str:
    return f"as {score.side}" if score.opponent == "-" else f"against {score.opponent}"
