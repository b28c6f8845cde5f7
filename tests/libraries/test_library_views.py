"""The check of tests/conformance/test_views.py for the interfaces that need other libraries: TextArena, OpenSpiel."""

import pytest

from rfop_env.testing.determinization import check_view
from tests.conformance.test_views import cases, check_many_games, check_other_eyes, decides, over
from tests.replays.playing import ENVIRONMENTS

pytestmark = pytest.mark.libraries


def textarena(positions, seat):
    """Everything that a player reads in a game that begins here: an answer is refused, and the next one loses."""
    module = pytest.importorskip("rfop_env.interfaces.textarena_env", exc_type=ImportError)
    if over(positions[-1]):
        return None
    batch = positions[-1].clone()
    batch.reset = lambda seed: None  # it stays where it is
    env = module.TextGameEnv(batch.game.id, **batch.given_options)
    env._batch_for = lambda players: batch
    env.reset(num_players=batch.game.spec.players, seed=1)
    env.step("I think [objective 99]")
    env.step("nonsense")
    rewards, infos = env.close()
    return [env.state.observations[seat], rewards, infos[seat]]


def openspiel(positions, seat):
    """Observations and information states in all their forms, and the legal actions of the seat that decides."""
    pyspiel = pytest.importorskip("pyspiel")
    from rfop_env.interfaces.openspiel_game import SeatMemory, short_name

    game, options = positions[0].game, positions[0].given_options.items()
    parameters = {name: int(value) if value.isdecimal() else value for name, value in options}
    state = pyspiel.load_game(short_name(game.id), parameters).new_initial_state()
    state._memories = [SeatMemory() for _ in range(game.spec.players)]
    for batch in positions:
        state._batch = batch.clone()
        state._look()
    views = [state.observation_string(seat), state.observation_tensor(seat), state._to_observation_struct(seat)]
    if game.spec.hidden_information or game.spec.chance:  # otherwise it is the history, which a state of its own lacks
        views += [state.information_state_string(seat), state.information_state_tensor(seat)]
    return views, [state.action_to_string(seat, k) for k in state.legal_actions()] if decides(batch, seat) else None


EACH_INTERFACE = pytest.mark.parametrize("show", [textarena, openspiel], ids=lambda show: show.__name__)


@pytest.mark.parametrize(("name", "options"), ENVIRONMENTS, ids=str)
@EACH_INTERFACE
def test_nothing_made_for_a_seat_depends_on_what_is_hidden_from_it(show, name, options):
    check_view(cases(show, name, tuple(options.items())), show)


@EACH_INTERFACE
def test_the_check_fails_for_what_another_seat_is_shown(show):
    check_other_eyes(show, "RedFlagOverParis-v1")


@pytest.mark.slow
@pytest.mark.parametrize(("name", "options"), ENVIRONMENTS, ids=str)
@EACH_INTERFACE
def test_in_many_games_nothing_made_for_a_seat_depends_on_what_is_hidden_from_it(show, name, options):
    check_many_games(show, name, options)
