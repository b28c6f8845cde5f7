"""The drawings of Paris: well formed, complete, and silent about what the viewer cannot see."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from rfop_env.core.decisions import FRAME_A, FRAME_KIND, FRAME_SIDE
from rfop_env.games.paris import board, component_set, draw, frames, state
from rfop_env.games.paris.component_set import ComponentSet
from rfop_env.games.paris.draw.view import SPECTATOR, View

pytestmark = pytest.mark.plain

SEEDS = range(8)
SVG = "{http://www.w3.org/2000/svg}"
HIDDEN_FRANCS = 83  # a number that nothing else in a position has


@pytest.fixture(scope="module")
def components() -> ComponentSet:
    """The shipped tiles and tables."""
    return component_set.load_components()


def start(players: int = 2) -> Any:
    """A record with nothing played, player 0 to act."""
    s = np.zeros(1, state.STATE).view(np.recarray)[0]
    s.players, s.turns, s.pile_floor = players, 1, 1
    s.pile[:] = np.arange(board.SPACES).reshape(board.STACKS, board.STACK_HEIGHT)
    s.pile_size[:] = board.STACK_HEIGHT
    s.landmark_district[:], s.vp_tile_district[:] = state.NOWHERE, state.NOWHERE
    s.bonus_space[1:] = range(1, board.BONUS_TILES + 1)
    s.bonus_left[1:] = 1
    s.end_left[:] = [1] * board.GOODS + [3, 1, 2]
    s.keys_in_hand[:players], s.keys_aside[:players], s.francs[:players] = 7, 2, 3
    ask(s, frames.ASK_ACTION, 0)
    return s


def ask(s: Any, kind: int, player: int, a: int = 0) -> None:
    """Leave one question on the stack."""
    s.depth, s.player, s.active = 1, player, player
    s.stack[0, FRAME_KIND], s.stack[0, FRAME_SIDE], s.stack[0, FRAME_A] = kind, player, a


def position(seed: int, players: int = 4) -> Any:
    """A crowded record with every kind of piece somewhere."""
    rng = random.Random(seed)
    s = start(players)
    ask(s, frames.ASK_ACTION, rng.randrange(players))
    s.turns, s.start_player = rng.randint(1, 60), rng.randrange(players)
    scatter_tiles(s, rng)
    scatter_pieces(s, rng, players)
    for player in range(players):
        fill_screen(s, rng, player)
    return s


def scatter_tiles(s: Any, rng: random.Random) -> None:
    """Buildings, tokens, landmarks, VP tiles, the bonus track."""
    for k in range(board.STACKS):
        s.pile_size[k] = rng.choice([1, 2, board.STACK_HEIGHT])
        s.pile[k, s.pile_size[k] :] = state.NO_TILE
    for space in range(board.SPACES):
        s.tile_at[space] = rng.choice([0, space + 1])
        s.token[space] = rng.randint(0, board.GOODS)
    s.supply[:] = [rng.randint(0, 6) for _ in range(board.GOODS)]
    s.landmark_district[:] = [rng.randint(0, state.NOWHERE) for _ in range(board.LANDMARKS)]
    s.vp_tile_district[:] = rng.sample([*range(board.DISTRICTS)] + [state.NOWHERE] * board.VP_TILES, board.VP_TILES)
    s.bonus_left[1:] = [rng.randint(0, 3) for _ in range(board.BONUS_TILES)]


def scatter_pieces(s: Any, rng: random.Random, players: int) -> None:
    """Keys and meeples: up to three keys of a colour on a tile, one on a bank or the Arc."""
    for player in range(players):
        s.meeple[player] = rng.choice([0, rng.randint(1, board.BONUS_TILES)])
        s.vp[player] = rng.randint(0, 90)
        for place in rng.sample(range(board.TILES), 6):
            s.keys[player, place] = rng.randint(1, 3)
        for place in rng.sample(range(board.FIRST_BANK, board.PLACES), 3):
            s.keys[player, place] = 1


def fill_screen(s: Any, rng: random.Random, player: int) -> None:
    """Money, tokens and tiles of a player."""
    s.francs[player] = HIDDEN_FRANCS
    s.goods[player] = [rng.randint(0, 2) for _ in range(board.GOODS)]
    for n in rng.sample(range(1, board.BONUS_TILES + 1), 8):
        s.bonus[player, n] = rng.choice([state.UNUSED, state.USED])
    for _ in range(2):
        i = int(s.end_taken)
        kind = rng.choice([k for k in range(board.END_KINDS) if s.end_left[k]])
        s.end_left[kind] -= 1
        s.end_kind[i], s.end_owner[i], s.end_used[i] = kind + 1, player, rng.randint(0, 1)
        s.end_taken += 1


def drawings(s: Any, components: ComponentSet, viewer: int | None = None) -> str:
    """Both drawings in one string."""
    return draw.draw_text(s, components, viewer) + draw.draw_svg(s, components, viewer)


def with_class(svg: str, name: str) -> int:
    """How many pieces the elements of the class stand for: one each unless they say how many."""
    return sum(int(e.get("data-count", 1)) for e in ElementTree.fromstring(svg).iter() if e.get("class") == name)


def svg_words(svg: str) -> list[str]:
    """All texts of a picture."""
    return [element.text or "" for element in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def test_svg_shows_every_piece_once(components: ComponentSet) -> None:
    for seed in SEEDS:
        s = position(seed)
        svg = draw.draw_svg(s, components)
        for player in range(4):
            sample = 1  # the key beside the number of keys in hand
            assert with_class(svg, f"key p{player}") == s.keys[player].sum() + sample, seed
            assert with_class(svg, f"meeple p{player}") == 1, seed
        assert with_class(svg, "building") == (s.tile_at > 0).sum(), seed
        assert with_class(svg, "landmark") == board.LANDMARKS, seed
        assert with_class(svg, "vp-tile") == board.VP_TILES, seed
        assert with_class(svg, "bonus-tile") == (s.bonus_left > 0).sum(), seed


def test_text_shows_a_district(components: ComponentSet) -> None:
    s = start()
    s.tile_at[6 * board.MONTMARTRE + 2], s.token[6 * board.MONTMARTRE + 2] = 6 * board.MONTMARTRE + 3, 6
    s.keys[:2, 6 * board.MONTMARTRE + 2] = 1
    s.keys[1, [board.FIRST_BANK + board.MONTMARTRE, board.FIRST_LANDMARK + board.EIFFEL_TOWER]] = 1
    s.keys[0, board.ARC] = 1
    s.landmark_district[board.EIFFEL_TOWER] = s.vp_tile_district[0] = board.MONTMARTRE
    lines = draw.draw_text(s, components).splitlines()
    row = next(i for i, line in enumerate(lines) if line.startswith("Montmartre"))
    assert lines[row].split()[:6] == ["Montmartre", "5", "B", "..", "..", "ca+g"]
    assert "ca+g AB" in lines[row] and lines[row].endswith("VP 20/10/5")
    assert lines[row + 1].strip() == "Eiffel Tower 16 B"
    assert "Arc de Triomphe: A" in lines


def test_p1_a_stack_shows_the_district_of_its_top_and_nothing_else(components: ComponentSet) -> None:
    s = start()
    s.pile_size[:] = [5, 1, 12]
    assert View(s, components).piles() == [(4, "Batignolles"), (0, ""), (11, "Saint-Germain")]
    drawing = drawings(s, components)
    s.pile[0, 4] = 1  # another value of the same district
    s.pile[0, :4] = s.pile[0, 3::-1].copy()
    assert drawings(s, components) == drawing


def test_p39_what_lies_behind_other_screens_is_not_drawn(components: ComponentSet) -> None:
    for viewer in [0, 2, SPECTATOR]:
        for seed in SEEDS:
            s = position(seed)
            drawing = drawings(s, components, viewer)
            for player in range(4):
                if player == viewer:
                    continue
                s.francs[player] += 5
                s.goods[player] = 2 - s.goods[player]
                unused = s.bonus[player, 1:] == state.UNUSED
                free = np.flatnonzero(s.bonus[player, 1:] == 0)[: unused.sum()]
                s.bonus[player, 1:][unused] = 0
                s.bonus[player, 1:][free] = state.UNUSED
                hidden = (s.end_owner == player) & (s.end_used == 0) & (s.end_kind > 0)
                s.end_kind[hidden] = s.end_kind[hidden] % board.END_KINDS + 1
            assert drawings(s, components, viewer) == drawing, seed
            assert ("83 Francs" in drawing) == (viewer != SPECTATOR), seed


def test_p39_the_number_of_hidden_tiles_is_drawn(components: ComponentSet) -> None:
    s = start()
    s.bonus[1, [3, 7]], s.bonus[1, 9] = state.UNUSED, state.USED
    s.end_taken, s.end_kind[0], s.end_owner[0] = 1, 4, 1
    text = draw.draw_text(s, components, 0)
    assert "unused: 2 bonus tiles hidden, 1 End Game tile hidden" in text and "used: #9" in text
    assert {"2 bonus tiles hidden", "1 End Game hidden", "used: 9"} <= set(svg_words(draw.draw_svg(s, components, 0)))
    assert "unused: #3 marble, #7 1 VP, 3 Francs, End Game bronze" in draw.draw_text(s, components, 1)


def test_open_screens_and_a_perfect_memory_hide_only_end_game_tiles(components: ComponentSet) -> None:
    for option in ["open_screens", "perfect_memory"]:
        s = position(1)
        s[option] = 1
        view = View(s, components, SPECTATOR)
        for player in range(4):
            assert view.sees(player) and view.bonus(player).hidden == 0, option
            assert view.end_tiles(player).seen == (), option
        assert draw.draw_text(s, components, SPECTATOR).count(f"{HIDDEN_FRANCS} Francs") == 4, option


def test_p38_only_who_searches_sees_the_end_game_tiles(components: ComponentSet) -> None:
    s = start(3)
    ask(s, frames.ASK_END_TILE, 1)
    assert "12 tiles left: 1 wood, 1 marble" in draw.draw_text(s, components)
    for viewer in (0, 2, SPECTATOR):
        assert f"{board.END_TILES} tiles left, face down" in draw.draw_text(s, components, viewer)
        assert "face down" in svg_words(draw.draw_svg(s, components, viewer))


def test_everything_is_shown_at_the_end(components: ComponentSet) -> None:
    s = position(3, 3)
    s.depth, s.over, s.end_reason, s.vp[:3], s.better[:3] = 0, 1, 1, [40, 31, 40], [0, 2, 0]
    view = View(s, components)
    assert all(view.sees(p) and view.bonus(p).hidden == view.end_tiles(p).hidden == 0 for p in range(3))
    for drawing in (draw.draw_text(s, components), draw.draw_svg(s, components, 1)):
        assert "player 0 and player 2 won: 40 VP" in drawing


def test_used_end_game_tiles_are_public(components: ComponentSet) -> None:
    s = position(5)
    mine = Counter(int(k) - 1 for k, status in zip(s.end_kind, s.end_used, strict=True) if status)
    view = View(s, components, SPECTATOR)
    assert sum((Counter(view.used_end_tiles(p)) for p in range(4)), Counter()) == mine
