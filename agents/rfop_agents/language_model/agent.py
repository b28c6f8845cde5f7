"""The agent `language-model`: it reads what its seat knows as text, and answers with moves in words."""

from __future__ import annotations

import queue
import sys
import threading
from collections.abc import Callable

import numpy as np
from numpy.random import Generator

from rfop_env import agent
from rfop_agents.language_model.settings import LanguageModelSettings
from rfop_agents.language_model import speakers
from rfop_env.core.batch import GameBatch
from rfop_env.core.errors import UnclearMove, printable
from rfop_env.interfaces import text

LONGEST_REPEATED = 300  # characters of a refused answer that the model is shown again


class LanguageModelAgent(agent.Agent):
    """A language model, asked about one position after another, or about several at once.

    It sees determinizations of the positions, so that nothing hidden from its seat can reach it. An answer that names
    no legal action is refused with the reason; after `tries` of them a random legal action takes its place, drawn from
    the caller's generator. `decisions`, `refused` and `random_moves` count what happened. Raises `NoAnswer` where the
    model gives no answer at all.
    """

    needs_positions = True

    def __init__(self, settings: LanguageModelSettings) -> None:
        self.name = settings.name
        self.most_games = settings.parallel
        self.fingerprint = settings.fingerprint
        self.decisions = 0
        self.refused = 0  # answers that named no legal action
        self.random_moves = 0
        self._lock = threading.Lock()
        self._settings = settings
        self._speaker: speakers.CommandSpeaker | speakers.EndpointSpeaker = (
            speakers.CommandSpeaker(settings) if settings.command else speakers.EndpointSpeaker(settings)
        )

    def act(
        self, observation: agent.Obs, action_mask: agent.Masks, rng: Generator, positions: agent.Positions | None = None
    ) -> agent.Actions:
        """The model's action for each position, or a random one."""
        assert positions is not None, "a language model reads a position"
        batch, games = positions.determinized_batch(), positions.games.tolist()
        fallback = agent.random_legal(
            action_mask, rng
        ).tolist()  # always sampled: the generator advances alike in all cases

        def choose(k: int) -> int:
            return self._choose(batch, games[k], fallback[k])

        return np.array(_in_threads(self._settings.parallel, len(games), choose), np.int64)

    def _choose(self, batch: GameBatch, game: int, fallback: int) -> int:
        """The action for one position; `fallback` where the model names none."""
        settings = self._settings
        question = speakers.Question(
            rules=text.rules_text(batch.game) if settings.rules else "",
            text=text.view_text(batch, game, list_legal_actions=settings.list_legal_actions),
            view=text.view_json(batch, game, list_legal_actions=settings.list_legal_actions),
        )
        for _ in range(settings.tries):
            answer = self._speaker.ask(question)
            try:
                action = text.parse_move(batch, answer, game)
            except UnclearMove as error:
                question.answers.append((printable(answer, LONGEST_REPEATED), str(error)))
            else:
                self._count(question)
                return action
        self._count(question, random_move=True)
        return fallback

    def _count(self, question: speakers.Question, random_move: bool = False) -> None:
        """Count a decision, and say so where a random action takes the place of the model's."""
        with self._lock:
            self.decisions += 1
            self.refused += len(question.answers)
            self.random_moves += random_move
        if random_move:
            # Without the reasons: they name what the model's seat could do, and a person may sit in another one.
            print(
                f"{self.name}: no legal action in {len(question.answers)} answers; a random one is played "
                f"({self.random_moves} of {self.decisions} decisions so far)",
                file=sys.stderr,
            )


def _in_threads(threads: int, count: int, work: Callable[[int], int]) -> list[int]:
    """The results of `work(0)` to `work(count - 1)`, in so many threads; the first error is raised at once.

    Nobody waits for the threads after an error or Ctrl-C: they finish what they are at and begin nothing new.
    """
    if threads == 1:
        return [work(k) for k in range(count)]
    tasks: queue.Queue[int] = queue.Queue()
    results: queue.Queue[tuple[int, int | Exception]] = queue.Queue()
    stopped = threading.Event()
    for k in range(count):
        tasks.put(k)

    def carry_out() -> None:
        while not stopped.is_set():
            try:
                k = tasks.get_nowait()
            except queue.Empty:
                return
            try:
                results.put((k, work(k)))
            except Exception as error:
                results.put((k, error))

    for _ in range(min(threads, count)):
        threading.Thread(target=carry_out, daemon=True).start()
    numbers = [0] * count
    try:
        for _ in range(count):
            k, result = results.get()
            if isinstance(result, Exception):
                raise result
            numbers[k] = result
    finally:
        stopped.set()
    return numbers
