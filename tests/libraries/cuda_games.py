"""Games on a graphics card, or on Numba's simulator of one, beside the same games on the processor.

`NUMBA_ENABLE_CUDASIM=1 RFOP_JIT=0 python -m tests.libraries.cuda_games` plays on the simulator.
"""

import numpy as np

import rfop_env
from rfop_env.core import errors
from rfop_env.core.decisions import NOBODY
from rfop_env.core.legal_actions import NO_ACTION

ARRAYS = (
    "observation", "action_mask", "final_observation", "current_player", "learner", "rewards", "terminated",
    "truncated", "end_reason",
)  # fmt: skip
WAYS = {  # names of games, and the arguments they are played with
    "revolution": ("Revolution-v0", {"autoreset": True}),
    "revolution, ended games": ("Revolution-v0", {}),
    "revolution, scripted": ("Revolution-v0", {"opponent": "scripted", "autoreset": True}),
    "revolution, several opponents and rewards": (
        "Revolution-v0",
        {"opponent": "scripted=0.5,random=0.5", "reward": "outcome=0.5,margin=0.5", "autoreset": True},
    ),
    "red flag, censor": ("RedFlagOverParis-v1", {"variant": "censor", "opponent": "random", "autoreset": True}),
    "solo, dense": ("RedFlagOverParisSolo-v1", {"side": "random", "reward": "mixed", "autoreset": True}),
    "levee": ("LeveeEnMasse-v0", {"autoreset": True}),
    "paris": ("Paris-v0", {"players": 3, "opponent": "random", "seat": 1, "autoreset": True}),
}


def both(name, games, seed=None, **arguments):
    """The same batch on the processor and on the card."""
    return tuple(rfop_env.make_batch(name, games, seed, device=device, **arguments) for device in ("cpu", "cuda"))


def assert_same(here, there, close=False):
    """All arrays are equal, the records to the last byte; `close`: rewards may differ by rounding."""
    assert here.get_state().tobytes() == there.get_state().tobytes()
    for name in ARRAYS:
        mine, twin = getattr(here, name), getattr(there, name).copy_to_host()
        assert mine.dtype == twin.dtype and mine.shape == twin.shape, name
        if close and name == "rewards":
            np.testing.assert_allclose(twin, mine, rtol=0, atol=1e-6, err_msg=name)
        else:
            np.testing.assert_array_equal(twin, mine, err_msg=name)


def legal(batch):
    """The first legal action of every game of the processor; none where a game has ended."""
    return np.where(batch.action_mask.any(axis=1), batch.action_mask.argmax(axis=1), NO_ACTION)


def play(way, games, turns, close=False):
    """Play in every way at once, and compare after each call."""
    name, arguments = WAYS[way]
    here, there = both(name, games, [2**33 + 7 * k for k in range(games)], **arguments)
    rng = np.random.default_rng(1)
    assert_same(here, there, close)
    for turn in range(turns):
        actions, only = legal(here), rng.random(games) < 0.4
        for batch in (here, there):
            if turn % 2:
                batch.step(actions)
            else:
                batch.step_random(1 + turn % 9)
            if turn % 8 == 6:
                batch.reset(only=only)
        assert_same(here, there, close)
    for batch in (here, there):
        batch.reset()
    assert_same(here, there, close)
    return here, there


def check_refusals():
    """What cannot be carried out is refused with the same words, and no game moves."""
    here, there = both("Revolution-v0", 4)
    for batch in (here, there):
        raises(errors.NotStarted, batch.step, [0] * 4)
        raises(errors.NotStarted, batch.reset, only=np.array([True, False, False, False]))
        batch.reset(5)
    value = legal(here)
    value[[1, 3]] = here.game.actions.size, NO_ACTION
    for actions in (value, np.full(4, NO_ACTION), [0.5] * 4, [0] * 3):
        messages = [raises(errors.RfopError, batch.step, actions) for batch in (here, there)]
        assert messages[0] == messages[1]
        assert_same(here, there)

    # A game that has ended comes first.
    while not here.terminated.any():
        here.step_random()
        there.step_random()
    assert_same(here, there)
    messages = [raises(errors.RfopError, batch.step, np.full(4, here.game.actions.size)) for batch in (here, there)]
    assert messages[0] == messages[1] and f"game {here.terminated.argmax()} has ended" in messages[0]
    assert_same(here, there)


def check_the_public_mask_is_a_copy():
    """Who writes to the mask makes nothing legal."""
    _, there = both("Revolution-v0", 3, 0)
    mask = there.action_mask.copy_to_host()
    forbidden = (~mask).argmax(axis=1)
    there.action_mask.copy_to_device(np.ones_like(mask))
    raises(errors.IllegalAction, there.step, forbidden)


def check_positions():
    """Records go from the card to the processor and back; faulty ones are refused."""
    here, there = both("Revolution-v0", 3, 0)
    here.step_random(20)
    there.set_state(here.get_state())
    for name in ("observation", "action_mask", "current_player"):
        np.testing.assert_array_equal(getattr(there, name).copy_to_host(), getattr(here, name))
    assert there.get_state().tobytes() == here.get_state().tobytes()

    faulty = here.get_state()
    faulty["depth"][1] = 99
    assert "depth" in raises(errors.BadPosition, there.set_state, faulty)
    raises(errors.BadActions, there.set_state, faulty[:2])
    assert there.get_state().tobytes() == here.get_state().tobytes()

    # One game alone.
    here.step_random(3)
    for batch in (here, there):
        batch.put_record(2, here.get_record(0))
    assert there.get_record(2).tobytes() == here.get_record(0).tobytes()
    assert there.get_record(0).tobytes() != here.get_record(0).tobytes()
    np.testing.assert_array_equal(there.action_mask.copy_to_host()[2], here.action_mask[0])
    raises(errors.BadArgument, there.put_record, 3, here.get_record(0))

    # To look at on the processor.
    looked_at = there.on_processor([2, 0])
    assert looked_at.draw_text(0) == here.draw_text(0)
    assert there.on_processor().get_state().tobytes() == there.get_state().tobytes()


def check_copies():
    """A clone goes on as the original does, and each has arrays of its own."""
    _, there = both("RedFlagOverParis-v1", 3, 1, autoreset=True)
    there.step_random(5)
    copied = there.clone()
    snapshot = copied.get_state().tobytes()
    there.step_random(4)
    assert copied.get_state().tobytes() == snapshot
    copied.step_random(4)
    assert copied.get_state().tobytes() == there.get_state().tobytes()
    np.testing.assert_array_equal(copied.action_mask.copy_to_host(), there.action_mask.copy_to_host())
    raises(errors.CannotPickle, there.__reduce__)


def check_looking():
    """What a seat sees, and what a reward kind pays, is that of the processor."""
    for name, arguments in (("RedFlagOverParis-v1", {"opponent": "random"}), ("LeveeEnMasse-v0", {})):
        here, there = both(name, 3, 4, **arguments)
        for batch in (here, there):
            batch.step_random(30)
        for seats in range(here.game.spec.players), (np.arange(3) % here.game.spec.players,):
            for seat in seats:
                np.testing.assert_array_equal(there.observe(seat).copy_to_host(), here.observe(seat))
        for kind in here.game.rewards:
            returns = there.game_returns(kind.name, 0.5).copy_to_host()
            np.testing.assert_allclose(returns, here.game_returns(kind.name, 0.5), rtol=0, atol=1e-6)
        raises(errors.BadActions, there.observe, [0, 0, 9])
        raises(errors.UnknownName, there.game_returns, "gold")
        assert_same(here, there)


def check_determinizations():
    """The same keys draw the same on both, whoever looks; seats and keys may lie on the card."""
    for name, arguments in (("RedFlagOverParis-v1", {"autoreset": True}), ("Paris-v0", {"players": 3})):
        here, there = both(name, 4, 2, **arguments)
        for batch in (here, there):
            batch.step_random(12)
        here.determinize(here.current_player, [5, 2**40 + 7, -1, 0])
        there.determinize(there.current_player, [5, 2**40 + 7, -1, 0])
        assert_same(here, there)
        for batch in (here, there):
            batch.determinize(0, 3)
            batch.step_random(9)
            batch.determinize(NOBODY, 4)
        assert_same(here, there)
        raises(errors.BadActions, there.determinize, [7, 0, 0, 0], 1)


def check_copies_between_batches():
    """Games are copied between batches, and what they keep of their own stays."""
    for arguments in ({}, {"opponent": "random"}, {"opponent": "scripted", "seat": 1}):
        here, there = both("Revolution-v0", 4, 7, **arguments)
        sources = both("Revolution-v0", 3, 50)
        for batch in (here, there, *sources):
            batch.step_random(6)
        for keep in ((), ("seed", "episode"), ("seed", "episode", "learner")):
            for batch, source in zip((here, there), sources, strict=True):
                batch.copy_from(source, [2, 0], [0, 3], keep=keep)
            assert_same(here, there)
            for batch in (here, there):
                batch.copy_from(batch, [0, 1, 2, 3], [1, 0, 3, 2])
                batch.reset(only=np.array([True, False, True, True]))
            assert_same(here, there)
        raises(errors.UnknownName, there.copy_from, sources[1], [0], [0], keep=["purse"])
        raises(errors.BadActions, there.copy_from, sources[1], [0, 1], [2, 2])
        raises(errors.BadActions, there.copy_from, sources[0])
    raises(errors.NotStarted, both("Revolution-v0", 4)[1].copy_from, sources[1], [0], [0])


def check_restarts():
    """A step begins some games anew, whatever their action; a refusal moves none, and begins none."""
    here, there = both("Revolution-v0", 4, 3)
    restart = np.array([True, False, True, False])
    actions = legal(here)
    actions[[0, 2]] = -7
    for batch in (here, there):
        batch.step(actions, restart=restart)
    assert_same(here, there)
    assert there.get_state()["episode"].tolist() == [1, 0, 1, 0]

    actions[:] = legal(here)
    actions[[0, 2, 3]] = -7, -7, here.game.actions.size
    messages = [raises(errors.IllegalAction, batch.step, actions, restart=restart) for batch in (here, there)]
    assert messages[0] == messages[1] and "game 3" in messages[0]
    assert_same(here, there)
    raises(errors.BadActions, there.step, legal(here), restart=[True])


def check_faults():
    """A violated invariant is found in whichever game it is."""
    _, there = both("Revolution-v0", 5, 0, autoreset=True)
    states = there.get_state()
    states["fault"][[2, 4]] = 1
    there.states.copy_to_device(states.view(np.uint8).reshape(5, -1))
    assert "violated in game 2 (seed 2, episode 0)" in raises(errors.InternalFault, there.step_random)


def raises(kind, call, *given, **named):
    """The message of the error that a call raises."""
    try:
        call(*given, **named)
    except kind as error:
        return str(error)
    raise AssertionError(f"no {kind.__name__} from {call}")


CHECKS = (
    check_refusals, check_the_public_mask_is_a_copy, check_positions, check_copies, check_looking,
    check_determinizations, check_copies_between_batches, check_restarts, check_faults,
)  # fmt: skip

if __name__ == "__main__":
    for check in CHECKS:
        check()
    for each in WAYS:
        play(each, 5, 8)
        print(each, flush=True)
