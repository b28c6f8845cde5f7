"""A page that plays a game in any browser, without a server: one file, and networks in it or beside it."""

from __future__ import annotations

import base64
import contextlib
import json
import re
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rfop_env.agent_names import NAMED, RANDOM, SEARCH
from rfop_env.browser.description import describe
from rfop_env.browser.module import rules_module
from rfop_env.browser.page_sessions import page_source
from rfop_env.core.errors import UnknownName
from rfop_env.core.game import Game
from rfop_env.one_file import STATIC as SHARED
from rfop_env.one_file import fill_page, inline_modules
from rfop_env.players import agent_names, page_program
from rfop_env.replays.replay_file import BadReplay, Replay
from rfop_env.web.guide import game_guide
from rfop_env.web.puzzles import fits, puzzles_of
from rfop_env.web.review import LEAST, LOOKS
from rfop_env.web.view import BEST, level_rows

STATIC = Path(__file__).parent / "static"
PYTHON = STATIC / "micropython"
TEMPLATE = re.compile(r'<template id="page">.*</template>', re.DOTALL)
SIMULATIONS = 100  # of the searches that a page has by itself
ALLOWED = "worker-src blob:; connect-src 'self' blob:"


@dataclass(frozen=True)
class PageProgram:
    """A program of a page: what its engine needs to run it (`static/engine.js`), and files that it reads."""

    entry: dict[str, Any]  # name, kind, and what belongs to the kind; for JSON
    files: Mapping[str, bytes] = field(default_factory=dict)  # the same for all programs that share one
    networks: Mapping[str, bytes] = field(default_factory=dict)  # those that may lie beside the page


@dataclass(frozen=True)
class Page:
    """A page, and the files that lie beside it, by name."""

    html: str
    files: Mapping[str, bytes]


def make_page(
    game: Game,
    components: Any,
    options: Mapping[str, object],
    names: Sequence[str],
    embed: bool = True,
    replays: Sequence[Replay] = (),
) -> Page:
    """The page of a game under options, with a loaded component set and the programs of these names.

    `embed`: networks are in the page; otherwise they lie beside it, and are loaded when one is chosen. `replays` can be
    opened on the page. Raises `UnknownName` for a program that no page can run, `MissingExtra` without a linker,
    `BadReplay`, and what `load_agent` raises.
    """
    under = game.under(options, components)
    programs = [_program(name, under, components) for name in dict.fromkeys(names)]
    content = {
        "description": describe(under, options, components) | {"seats": list(under.spec.seats)},
        "source": page_source(under, components, game.option_values(options)),
        "puzzles": [
            {"replay": puzzle.replay, "by": puzzle.by, "values": dict(puzzle.values)}
            for puzzle in puzzles_of(game.id)
            if fits(puzzle, game, components.digest, options)
        ],
        "replays": {Path(replay.source).stem: _fitting(replay, game, components, options) for replay in replays},
        "guide": game_guide(game),
        "programs": [program.entry for program in programs],
        "levels": level_rows(game, names),
        "hints": BEST,
        "review": {"looks": LOOKS, "least": LEAST},
    }

    parts = {
        "engine.js": _worker_script("engine.js").encode(),
        "content.json": json.dumps(content, separators=(",", ":"), ensure_ascii=False).encode(),
        "micropython.wasm": (PYTHON / "micropython.wasm").read_bytes(),
        "rules.wasm": rules_module(under),
    }
    networks: dict[str, bytes] = {}
    for program in programs:
        parts |= program.files
        networks |= program.networks
    if embed:
        parts |= networks

    template = TEMPLATE.search((SHARED / "index.html").read_text(encoding="utf-8"))
    assert template is not None, "the server's page has it"
    filled = {"TEMPLATE": template[0], "PARTS": _parts(parts)}
    style, script = (SHARED / "page.css").read_text(encoding="utf-8"), inline_modules(STATIC / "local.js")
    html = fill_page(STATIC / "page.html", script, game.title, style, filled, ALLOWED)
    return Page(html, {} if embed else networks)


def _fitting(replay: Replay, game: Game, components: Any, options: Mapping[str, object]) -> str:
    """The text of a replay that the page can play; raises `BadReplay`."""
    mine = (game.id, game.option_values(options))
    if (replay.game.id, replay.options) != mine:
        words = f"played in {replay.game.id} with {replay.options}, and the page plays {mine}"
        raise BadReplay(words, 0, replay.source)
    if replay.position is not None:
        raise BadReplay("it begins at a saved position: 'rfop serve' opens it", 0, replay.source)
    for _ in replay.play(components):
        pass
    return replay.text()


def learn_page(game: Game, components: Any, title: str) -> str:
    """A page in which a tiny network learns a game for two, from nothing. Raises `MissingExtra` without a linker."""
    parts = {
        "learner.js": _worker_script("learner.js").encode(),
        "content.json": json.dumps(describe(game, {}, components)).encode(),
        "rules.wasm": rules_module(game),
    }
    style, script = (SHARED / "page.css").read_text(encoding="utf-8"), inline_modules(STATIC / "learn.js")
    return fill_page(STATIC / "learn.html", script, title, style, {"PARTS": _parts(parts)}, ALLOWED)


def default_programs(game: Game, components: Any, names: Sequence[str]) -> list[str]:
    """The random player, the scripted ones and these; without any, a search and the newest network of the game, too."""
    own = [RANDOM, *(player.name for player in game.scripted)]
    if names:
        return list(dict.fromkeys([*own, *names]))
    fitting = []
    for name in [f"search-{SIMULATIONS}", *reversed(agent_names(game))]:
        with contextlib.suppress(UnknownName):
            fitting += [name] if page_program(name, game, components).entry["kind"] in (SEARCH, NAMED) else []
    networks = [name for name in fitting if not name.startswith(SEARCH)][:1]
    searches = [f"search-{SIMULATIONS}", *(f"search-{SIMULATIONS}+{name}" for name in networks)]
    return [*own, *networks, *(name for name in searches if fitting)]


def _program(name: str, game: Game, components: Any) -> PageProgram:
    """A program by name; the random player and scripted players are the rules' own."""
    scripted = [player.name for player in game.scripted]
    if name == RANDOM:
        return PageProgram({"name": name, "kind": "random"})
    if name in scripted:
        return PageProgram({"name": name, "kind": "scripted", "number": scripted.index(name)})
    program: PageProgram = page_program(name, game, components)
    return program


def _worker_script(name: str) -> str:
    """A worker's code as a classic script: a page that was opened as a file starts no worker from a module."""
    text = inline_modules(STATIC / name, [PYTHON]).replace("import.meta.url", "self.location.href")
    return f"(async () => {{\n{text}\n}})();"


def _parts(files: Mapping[str, bytes]) -> str:
    """Files in the page."""
    texts = {name: base64.b64encode(zlib.compress(data, 9)).decode() for name, data in files.items()}
    lines = [
        f'<script type="application/octet-stream" data-part="{name}">{text}</script>' for name, text in texts.items()
    ]
    return "\n".join(lines)
