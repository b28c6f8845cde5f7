"""Decisions per second on a graphics card, beside one core of the processor.

Random legal actions are chosen in the kernel; every rate includes the observation and the legal actions of each
decision, and the wait until the card is done. The sizes are measured one after the other: each batch has the card's
memory to itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from rfop_env import make_batch
from rfop_env.core.cuda.device import description, require_device
from rfop_env.core.errors import BadArgument
from rfop_env.registry import get_game, list_games
from rfop_env.testing.speed import (
    IN_KERNEL,
    Case,
    Report,
    Settings,
    describe_machine,
    in_kernel,
    load,
    markdown_table,
    measure,
    rate_rows,
    sides,
    text_table,
    version_of,
)

ON_CARD = "graphics card, random choice in the kernel"
SIZES = (2**14, 2**17, 2**20)
QUICK_SIZES = SIZES[:2]
ON_CORE = 1024  # games of the batch on the processor


def bench(
    settings: Settings,
    games: Sequence[str] | None = None,
    sizes: Sequence[int] = SIZES,
    tell: Callable[[str], None] = lambda line: None,
) -> Report:
    """Measure `games` (ids; default all) on the card and on one core; `tell` hears how far it is.

    Raises `UnknownName`, and what `make_batch` raises where there is no card.
    """
    require_device()
    wanted = list({game.id: game for game in map(get_game, games or list_games())}.values())
    machine = {**describe_machine(), **description(), "numba-cuda": version_of("numba-cuda")}
    cases: list[Case] = []
    for game in wanted:
        for options in sides(game):
            tell(" ".join([game.id, *options.values(), "..."]))
            for case in _cases(game.id, options, sizes):
                measure([case], settings)
                cases.append(replace(case, step=int))  # which lets go of the batch
    machine["load_after"] = load()
    return Report(machine, settings, cases, {})


def _cases(game: str, options: dict[str, Any], sizes: Sequence[int]) -> Iterator[Case]:
    """One core of the processor, then the card in all sizes that its memory holds."""
    name = " ".join([game, *options.values()])
    batch = make_batch(game, ON_CORE, 0, autoreset=True, **options)
    batch.step_random()
    yield Case(name, IN_KERNEL, ON_CORE, 1, in_kernel(batch))
    for n in sizes:
        try:
            on_card = make_batch(game, n, 0, autoreset=True, device="cuda", **options)
        except BadArgument:
            return
        on_card.step_random(50)
        yield Case(name, ON_CARD, n, 1, in_kernel(on_card))


def tables(report: Report, markdown: bool = False) -> str:
    """The report for people, as text or as Markdown."""
    m, s = report.machine, report.settings
    versions = ", ".join(f"{name} {m[name]}" for name in ("python", "numba", "numba-cuda", "numpy"))
    line = (
        f"{m['card']}, compute capability {m['capability']}, beside {m['cpu']}, {m['cores']} cores, {m['system']}; "
        f"{versions}. Load {m['load_before']} before, {m.get('load_after')} after. Decisions per second, observation "
        f"and mask included: medians of {s.runs} slices of {s.seconds:g} s."
    )
    draw = markdown_table if markdown else text_table
    return "\n\n".join([line, draw(rate_rows(report))])


# The block of a Markdown page that `rfop bench --device cuda --write` fills.
BLOCKS: dict[str, Callable[[Report], str]] = {"speed_cuda": lambda report: tables(report, markdown=True)}
