"""Every render mode in every interface, and the libraries that ask for pictures."""

from __future__ import annotations

import importlib
import importlib.util
import subprocess
import sys
import warnings

import gymnasium
import numpy as np
import pytest
from stable_baselines3 import PPO
from stable_baselines3.common.env_util import make_vec_env

import rfop_env
from rfop_env.core.errors import MissingExtra, UnknownOption, UnknownValue
from rfop_env.drawing import pixels
from rfop_env.interfaces.gymnasium_env import GameEnv
from rfop_env.interfaces.gymnasium_vector import GameVectorEnv
from rfop_env.interfaces.pettingzoo_aec import env as aec_env
from rfop_env.interfaces.sb3_vec_env import GameVecEnv

from tests.drawing import fonts

GAME = "Revolution-v0"
SOLO = "LiarsRaceSolo-v0"
NEEDS_MOVIEPY = pytest.mark.skipif(importlib.util.find_spec("moviepy") is None, reason="moviepy writes the videos")
MOVIEPY_OPENS_FILES = pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning")


def is_picture(frame):
    """A picture of even sides."""
    return frame.dtype == np.uint8 and frame.ndim == 3 and frame.shape[2] == 3 and frame.shape[0] % 2 == 0 and (
        frame.shape[1] == pixels.WIDTH
    )  # fmt: skip


def play(env, decisions):
    """The first legal action again and again; the frames."""
    frames = [env.render()]
    for _ in range(decisions):
        env.step(int(env.unwrapped.action_masks().argmax()))
        frames.append(env.render())
    return frames


# -- pictures ----------------------------------------------------------------------------------------------------------


@pytest.mark.many_games
@pytest.mark.parametrize("name", rfop_env.list_games())
def test_all_pictures_of_a_game_have_one_size(name):
    batch, sizes = rfop_env.make_batch(name, 1, seed=1), set()
    while True:
        frame = pixels.pixels(batch.draw_svg())
        assert is_picture(frame) and len(np.unique(frame)) > 50
        sizes.add(frame.shape)
        if batch.states["over"][0]:
            break
        batch.step_random(150)
    assert len(sizes) == 1


def test_letters_are_drawn_where_no_font_is_installed():
    head = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 50" font-family="Arial, \'DejaVu Sans\'">'
    document = head + '<rect width="100" height="50" fill="#ffffff"/>{}</svg>'
    text = '<text x="9" y="30" font-size="20">{}</text>'
    empty = pixels.pixels(document.format(""))
    pictures = [pixels.pixels(document.format(text.format(word))) for word in ("Fort", "Ж", "★", "é")]
    assert all((frame != empty).any() for frame in pictures)
    bold = pixels.pixels(document.format(text.replace("<text", '<text font-weight="bold"').format("Fort")))
    assert (bold != empty).sum() > (pictures[0] != empty).sum()


def test_the_fonts_are_fresh(tmp_path):
    fonts.write(tmp_path)
    files = {path.name: path.read_bytes() for path in pixels.FOLDER.iterdir()}
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == files, "run python -m tests.drawing.fonts"


def test_a_picture_may_be_written_to():
    env = GameEnv(GAME, opponent="random", render_mode="rgb_array")
    env.reset(seed=1)
    first = env.render()
    original = first.copy()
    first[:] = 0
    assert (env.render() == original).all()


def test_a_missing_extra_is_named_when_a_picture_is_asked_for(monkeypatch):
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    pixels._pixels.cache_clear()
    env = GameEnv(GAME, opponent="random", render_mode="rgb_array")  # libraries ask for it and never look
    env.reset(seed=1)
    with pytest.raises(MissingExtra, match=r'pip install "rfop-env\[render\]"'):
        env.render()


# -- every interface ---------------------------------------------------------------------------------------------------


def test_many_games_have_a_picture_each():
    envs = gymnasium.make_vec(f"rfop/{GAME}", 3, opponent="random", render_mode="rgb_array")
    envs.reset(seed=1)
    frames = envs.render()
    assert len(frames) == 3 and all(map(is_picture, frames))

    vec_env = GameVecEnv(GAME, 2, seed=1, opponent="random", render_mode="rgb_array")
    vec_env.reset()
    assert all(map(is_picture, vec_env.get_images())) and vec_env.render().shape[1] % pixels.WIDTH == 0
    silent = GameVecEnv(GAME, 2, seed=1, opponent="random", render_mode="ansi")
    silent.reset()
    assert silent.get_images() == [None, None]
    for kind in (GameVectorEnv, GameVecEnv):
        with pytest.raises(UnknownValue, match="unknown value of render_mode 'human': valid: 'None', 'ansi'"):
            kind(SOLO, 2, render_mode="human")


@pytest.mark.parametrize("make", [GameEnv, aec_env])
def test_people_see_every_position_in_the_terminal(make, capsys):
    env = make(SOLO, render_mode="human")
    env.reset(seed=0)
    assert "Red 0" in capsys.readouterr().out
    terminated = False
    while not terminated:
        env.step(int(env.unwrapped.batch.action_mask[0].argmax()))
        assert env.render() is None
        output = capsys.readouterr().out
        terminated = bool(env.unwrapped.batch.states["over"][0])
        assert output.count("Red ") >= 1 and ("The game is over: " in output) == terminated


def test_people_see_a_forfeit(capsys):
    for env in (GameEnv(SOLO, render_mode="human"), aec_env(SOLO, render_mode="human")):
        env.reset(seed=0)
        env.step(int(env.unwrapped.batch.action_mask[0].argmin()))
        assert "The game is over: illegal action." in capsys.readouterr().out


@pytest.mark.parametrize("name", [SOLO, "LiarsRace-v0", GAME])
def test_pettingzoo_accepts_every_mode(name, capsys):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the helpers import example environments with warnings of their own
        render_test = importlib.import_module("pettingzoo.test").render_test
    render_test(lambda render_mode: aec_env(name, render_mode=render_mode), {"svg": lambda text: "<svg" in text})


# -- libraries that ask for pictures -----------------------------------------------------------------------------------


def test_stable_baselines_makes_its_own_environments():
    envs = make_vec_env(f"rfop/{SOLO}", n_envs=2, seed=1)
    assert envs.render_mode == "rgb_array"
    PPO("MultiInputPolicy", envs, n_steps=16, batch_size=16, n_epochs=1, device="cpu").learn(64)
    PPO("MultiInputPolicy", f"rfop/{SOLO}", n_steps=32, batch_size=16, n_epochs=1, device="cpu").learn(64)


def test_a_wrong_keyword_is_a_type_error_as_in_python():
    for make in [GameEnv, GameVectorEnv, GameVecEnv, aec_env]:
        for arguments, kind in [({"render_mode": "3d"}, UnknownValue), ({"sidde": "a"}, UnknownOption)]:
            with pytest.raises(TypeError, match="unknown") as caught:
                make(SOLO, **arguments)
            assert isinstance(caught.value, kind) and caught.value.valid


def test_torchrl_understands_that_a_keyword_is_unknown():
    """Its GymEnv tries again without `frameskip` where Python's own words are in the message, and fails otherwise."""
    with pytest.raises(TypeError, match="unexpected keyword argument 'frameskip'"):
        gymnasium.make(f"rfop/{SOLO}", frameskip=1)


def capture_video(env_id, folder):
    """CleanRL's way of recording, in the order of its scripts."""
    env = gymnasium.make(env_id, opponent="random", render_mode="rgb_array")
    env = gymnasium.wrappers.RecordVideo(env, str(folder))
    return gymnasium.wrappers.RecordEpisodeStatistics(env)


@NEEDS_MOVIEPY
@MOVIEPY_OPENS_FILES
def test_cleanrl_captures_videos(tmp_path):
    env = capture_video(f"rfop/{GAME}", tmp_path / "videos")
    env.reset(seed=1)
    play(env, 3)
    env.close()
    assert [path.suffix for path in (tmp_path / "videos").iterdir()] == [".mp4"]


# -- worker processes --------------------------------------------------------------------------------------------------

WORKERS = """
import functools
import gymnasium

if __name__ == "__main__":
    make = functools.partial(gymnasium.make, "rfop_env:rfop/Revolution-v0", opponent="random")
    envs = gymnasium.vector.AsyncVectorEnv([make] * 2, context="{context}")
    observations, infos = envs.reset(seed=1)
    for _ in range(5):
        observations, rewards, _, _, infos = envs.step(observations["action_mask"].argmax(axis=1))
    assert rewards.tolist() == [0, 0] and infos["action_mask"].any(axis=1).all()
    assert (envs.call("action_masks")[0] == infos["action_mask"][0].astype(bool)).all()
    envs.close()
    print("played")
"""


@pytest.mark.parametrize("context", ["forkserver", "spawn"])
def test_worker_processes_that_have_not_imported_the_package(context, tmp_path):
    script = tmp_path / "train.py"
    script.write_text(WORKERS.format(context=context), encoding="utf-8")
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.split()[-1:]) == (0, ["played"]), done.stderr
