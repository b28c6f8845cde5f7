"""The scale of inputs by data."""

import numpy as np
import pytest

from rfop_env.cli.main import main as rfop
from rfop_agents.network import observation_scale, read_network
from rfop_env.core.observation_layout import ObservationLayout, Piece
from rfop_env.registry import get_game
from rfop_training import input_scale
from rfop_training.input_scale import MOST, SPREAD, scale_by_data, spread_of_pieces

LEVEE = "LeveeEnMasse-v0"
SMALL = ["--num-envs=16", "--num-steps=8", "--width=8", "--minibatch-size=64", "--evaluate-deals=2", "--quiet"]


def test_the_spread_of_a_piece_is_over_entries_that_vary():
    layout = ObservationLayout([Piece("a", 3, 0, 9, "public", ""), Piece("b", 1, 0, 9, "public", "")])
    inputs = np.array([[0, 1, 5, 7], [2, 1, 13, 7]], np.float32)  # deviations 1, 0, 4 and 0
    assert spread_of_pieces(layout, inputs) == {"a": pytest.approx(np.sqrt(17 / 2)), "b": 0.0}


@pytest.mark.parametrize("name", [LEVEE, "Paris-v0", "RedFlagOverParisSolo-v1"])
def test_pieces_that_hardly_vary_are_enlarged(name):
    game = get_game(name)
    layout, by_range = game.observation, observation_scale(game.observation)
    factor = scale_by_data(game, {}, None, 7) / by_range
    spread = spread_of_pieces(layout, input_scale.play(game, {}, None, 7) * by_range)
    small = [p for p in layout.pieces if p.high - p.low > 1 and 0 < spread[p.name] < SPREAD]
    assert small, "this game has no piece to enlarge"
    for piece in layout.pieces:
        found = factor[layout.start(piece.name) :][: piece.size]
        wanted = min(SPREAD / spread[piece.name], MOST) if piece in small else 1.0
        assert found == pytest.approx(wanted), piece.name


def test_games_of_the_script_and_of_chance_are_sampled_alike_from_a_seed():
    game = get_game(LEVEE)
    seen = input_scale.play(game, {}, None, 7)
    assert seen.shape == (input_scale.GAMES * input_scale.STEPS, game.observation.size) and seen.dtype == np.int8
    assert (seen == input_scale.play(game, {}, None, 7)).all()
    assert (seen != input_scale.play(game, {}, None, 8)).any()


def test_the_scale_is_in_the_file_and_survives_a_resumption(tmp_path, capsys):
    run, command = tmp_path / "run", [f"--env={LEVEE}", f"--run={tmp_path / 'run'}", "--input-scale=data", *SMALL]
    assert rfop(["train", "ppo", *command, "--steps=200"]) == 0
    scale = read_network(run / "model.safetensors")[0]["scale"]
    assert (scale == scale_by_data(get_game(LEVEE), {}, None, 1_000_003)).all()

    assert rfop(["train", "ppo", *command, "--steps=400", "--resume"]) == 0
    assert (read_network(run / "model.safetensors")[0]["scale"] == scale).all()

    # A network that starts from it has its scale, and another scale cannot be asked for along the way.
    started = [f"--env={LEVEE}", f"--run={tmp_path / 'next'}", f"--init-from={run}", *SMALL, "--steps=200"]
    assert rfop(["train", "ppo", *started]) == 0
    assert (read_network(tmp_path / "next" / "model.safetensors")[0]["scale"] == scale).all()
    assert rfop(["train", "ppo", f"--env={LEVEE}", f"--run={run}", *SMALL, "--steps=600", "--resume"]) == 2
    assert "input_scale 'data' instead of 'range'" in capsys.readouterr().err
