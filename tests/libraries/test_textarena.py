"""TextArena: whole games by text, invalid moves as TextArena has them, nothing hidden in what a player reads."""

from __future__ import annotations

import random
import re

import pytest

from rfop_env import list_games
from rfop_env.core.errors import BadArgument, GameOver, NotStarted, UnknownName

pytestmark = pytest.mark.libraries
ta = pytest.importorskip("textarena")

PLAYERS = {
    "RedFlagOverParis-v1": 2,
    "RedFlagOverParisSolo-v1": 1,
    "LeveeEnMasse-v0": 1,
    "Paris-v0": 3,
    "Revolution-v0": 2,
}


def made(id, suffix="-raw", **options):
    import rfop_env.interfaces.textarena_env  # noqa: F401 registers the ids

    return ta.make(f"rfop/{id}{suffix}", **options)


def observation_text(observation):
    return observation if isinstance(observation, str) else "\n".join(message for _, message, _ in observation)


def labels_in(text):
    actions = text.rsplit("Legal actions:\n", 1)[1]
    return re.findall(r"^\d+\. (.+?): ", actions, re.MULTILINE)


@pytest.mark.parametrize("id", list_games())
@pytest.mark.parametrize("suffix", ["", "-raw"])
def test_a_whole_game_by_random_text_moves(id, suffix):
    env, rng, turns, done, seats = made(id, suffix), random.Random(1), 0, False, set()
    env.reset(num_players=PLAYERS[id], seed=5)
    state = random.getstate()
    while not done:
        player, observation = env.get_observation()
        seats.add(player)
        done, _ = env.step(f"I choose [{rng.choice(labels_in(observation_text(observation)))}]")
        turns += 1
    rewards, infos = env.close()
    assert random.getstate() == state  # TextArena's states would seed Python's own random numbers
    assert seats == set(rewards) == set(range(PLAYERS[id])) and turns > 20
    assert list(rewards.values()) == env.batch.rewards[0].tolist()
    assert infos[0]["reason"] == env.batch.game.end_reasons[int(env.batch.end_reason[0])]
    assert not any(info["invalid_move"] for info in infos.values())
    assert sum(info["turn_count"] for info in infos.values()) == turns


def test_the_first_observation_has_the_rules_and_the_position():
    env = made("RedFlagOverParis-v1")
    env.reset(num_players=2, seed=3)
    player, observation = env.get_observation()
    text, kinds = observation_text(observation), [kind for _, _, kind in observation]
    assert player == 0 and text.startswith("You play Commune in Red Flag Over Paris.")
    assert "Final Crisis" in text and "in square brackets, for example [objective " in text
    assert kinds[0] is ta.ObservationType.PROMPT and kinds[-1] is ta.ObservationType.GAME_BOARD


@pytest.mark.parametrize("id", ["RedFlagOverParis-v1", "RedFlagOverParisSolo-v1", "Paris-v0"])
def test_one_invalid_move_is_forgiven_and_two_lose(id):
    env, players = made(id), PLAYERS[id]
    env.reset(num_players=players, seed=3)
    first, observation = env.get_observation()
    snapshot = env.batch.get_state().tobytes()
    done, _ = env.step("I think [nonsense]")
    assert not done and env.batch.get_state().tobytes() == snapshot
    player, text = env.get_observation()
    assert player == first and "is not among the legal actions" in observation_text(text)
    assert labels_in(observation_text(text)) == labels_in(observation_text(observation))

    done, _ = env.step(f"[{labels_in(observation_text(text))[0]}]")
    assert not done  # a legal move sets the count back
    player, _ = env.get_observation()
    assert not env.step("nonsense")[0]
    done, _ = env.step("nonsense")
    rewards, infos = env.close()
    assert done and infos[player]["invalid_move"]
    assert rewards == {k: -1 if k == player else {2: 1, 3: 0}[players] for k in range(players)}


def test_the_example_of_a_prompt_and_the_reason_of_an_end_name_no_action_of_a_position():
    prompts, reasons = set(), set()
    for seed in range(5):
        env = made("RedFlagOverParis-v1")
        env.reset(num_players=2, seed=seed)
        prompts.add(env.state.observations[1][0][1])
        env.step("[objective 99]"), env.step("[objective 99]")
        infos = env.close()[1]
        assert "did you mean" in infos[0]["reason"]
        reasons.add(infos[1]["reason"])
    assert len(prompts) == 1 and reasons == {"Commune named no legal action"}
    env = made("Paris-v0", error_allowance=0)
    env.reset(num_players=3, seed=1)
    player, _ = env.get_observation()
    env.step("[nonsense]")
    lines = {k: info["reason"].endswith(" named no legal action") for k, info in env.close()[1].items()}
    assert lines == {k: k != player for k in range(3)}


def test_what_a_player_writes_and_sees_is_not_told_to_others():
    env = made("RedFlagOverParis-v1")
    env.reset(num_players=2, seed=3)
    for _ in range(12):
        player, observation = env.get_observation()
        env.step(f"my secret is {player} [{labels_in(observation_text(observation))[0]}]")
        waiting = env.state.observations[1 - env.state.current_player_id]
        assert not any(kind is ta.ObservationType.GAME_BOARD for _, _, kind in waiting)
        for k, messages in env.state.observations.items():
            assert not any(f"my secret is {1 - k}" in message for _, message, _ in messages)


def test_the_same_seed_gives_the_same_game():
    texts = []
    for seed in (5, 5, 6):
        env = made("Paris-v0")
        env.reset(num_players=4, seed=seed)
        texts.append(observation_text(env.get_observation()[1]))
    assert texts[0] == texts[1] != texts[2]


def test_wrong_use():
    from rfop_env.interfaces.textarena_env import TextGameEnv, register_environments

    assert register_environments() == [f"rfop/{id}" for id in list_games()]  # a second time
    env = made("Revolution-v0")
    with pytest.raises(NotStarted):
        env.step("[1]")
    with pytest.raises(BadArgument, match="Revolution-v0 has 2 here, found 3"):
        env.reset(num_players=3)
    with pytest.raises(BadArgument, match="Paris-v0 has 2 here"):
        made("Paris-v0", players=2).reset(num_players=4)
    env.reset(num_players=2)
    with pytest.raises(BadArgument, match="a text"):
        env.step(3)
    env.step("[nonsense]"), env.step("[nonsense]")
    with pytest.raises(GameOver):
        env.step("[1]")
    with pytest.raises(UnknownName):
        TextGameEnv("Revolution-v0", colour="red")
    for value in (-1, True, 1.5, 1001):
        with pytest.raises(BadArgument, match="error_allowance"):
            TextGameEnv("Revolution-v0", error_allowance=value)
