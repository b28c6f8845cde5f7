"""The head of each environment's page: what it is to a program, and a recorded game with a picture of it."""

from __future__ import annotations

from rfop_env import registry
from rfop_env.agent_names import FORMS
from rfop_env.core.game import Game
from rfop_env.markdown import markdown_table
from rfop_env.replays import Replay
from rfop_env.replays.moments import play_back
from rfop_env.replays.replay_file import SUFFIX
from training.research.generator.recorded import MOMENTS, REPLAYS


def summary(name: str) -> str:
    """Imports, spaces, seats, options, rewards and other properties of an environment."""
    entry, game = registry.get_entry(name), registry.get_game(name)
    spec, components = game.spec, game.load_components(None)
    rows = [
        ["game", f"{entry.title}, players: {entry.players}"],
        *([word, f"`{code}`"] for word, code in _imports(entry, game)),
        ["seats", ", ".join(f"`{seat}`" for seat in spec.seats)],
        ["action space", f"`Discrete({game.actions.size})`, with a mask"],
        ["observation space", f"`Box` int8 [{game.observation.size}], {len(game.observation.pieces)} named pieces"],
        ["options, the default first", _options(game)],
        ["rewards, the default first", ", ".join(f'`"{reward.name}"`' for reward in game.rewards)],
        ["return", f"{spec.lowest_return:g} to {spec.highest_return:g}{', zero-sum' if spec.zero_sum else ''}"],
        ["opponents inside", ", ".join(f'`"{player.name}"`' for player in game.opponents) or "-"],
        ["hidden information, chance", f"{_word(spec.hidden_information)}, {_word(spec.chance)}"],
        ["decisions in a game", f"at most {spec.max_decisions:,}, forced ones included"],
        ["component set", f"{components.name}, digest `{components.digest}`"],
    ]
    return markdown_table(["", f"`{name}`"], rows)


def agent_names() -> str:
    """The forms that names of agents have."""
    rows = [[", ".join(f"`{example}`" for example in form.examples), form.meaning] for form in FORMS]
    return markdown_table(["name", "agent"], rows)


def _imports(entry: registry.Entry, game: Game) -> list[tuple[str, str]]:
    """How each library makes the environment."""
    if entry.interface == "gymnasium":
        return [("Gymnasium", f'gymnasium.make("{entry.full_id}")')]
    return [
        ("PettingZoo", f'rfop_env.make("{entry.id}")'),
        ("Gymnasium", f'gymnasium.make("{entry.full_id}", opponent="{game.opponents[-1].name}")'),
    ]


def _options(game: Game) -> str:
    return "; ".join(f"`{o.name}`: {', '.join(o.values)}" for o in game.options) or "-"


def _word(value: bool) -> str:
    return "yes" if value else "no"


def recorded(name: str) -> str:
    """The picture of a recorded game, which leads to it, and who played it."""
    file = f"../replays/{name}{SUFFIX}"
    replay = Replay.read(REPLAYS / f"{name}{SUFFIX}")
    seated = zip(replay.players, replay.game.spec.seats, strict=True)
    players = ", ".join(f"`{player}` as `{seat}`" for player, seat in seated)
    moment = f"{replay.game.title} after {MOMENTS[name]} decisions of a recorded game"
    return f"""[![{moment}]({name}.svg)]({file})

[A recorded game]({file}) of {len(replay.decisions)} decisions: {players}; {play_back(replay).result}."""
