"""The agent `language-model`: it reads what its seat knows as text, and answers with moves in words."""

from __future__ import annotations

import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from agents.agent import Agent, Positions, random_legal
from agents.language_model.settings import LanguageModelSettings
from agents.language_model.speakers import CommandSpeaker, EndpointSpeaker, Question, Speaker
from rfop_env.core.batch import GameBatch
from rfop_env.core.errors import UnclearMove, printable
from rfop_env.interfaces.text import parse_move, rules_text, view_json, view_text

LONGEST_REPEATED = 300  # characters of a refused answer that the model is shown again


class LanguageModelAgent(Agent):
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
        self._speaker: Speaker = CommandSpeaker(settings) if settings.command else EndpointSpeaker(settings)

    def act(
        self,
        observation: NDArray[np.int8],
        action_mask: NDArray[np.bool_],
        rng: np.random.Generator,
        positions: Positions | None = None,
    ) -> NDArray[np.int64]:
        """The model's action for each position, or a random one."""
        assert positions is not None, "a language model reads a position"
        batch, games = positions.determinized_batch(), positions.games.tolist()
        instead = random_legal(action_mask, rng).tolist()  # always drawn, so that the generator goes on the same way
        with ThreadPoolExecutor(self._settings.parallel) as pool:
            return np.array(
                list(pool.map(lambda game, other: self._choose(batch, game, other), games, instead)), np.int64
            )

    def _choose(self, batch: GameBatch, game: int, instead: int) -> int:
        """The action for one position; `instead` where the model names none."""
        settings = self._settings
        question = Question(
            rules=rules_text(batch.game) if settings.rules else "",
            text=view_text(batch, game, list_legal_actions=settings.list_legal_actions),
            view=view_json(batch, game, list_legal_actions=settings.list_legal_actions),
        )
        for _ in range(settings.tries):
            answer = self._speaker.ask(question)
            try:
                action = parse_move(batch, answer, game)
            except UnclearMove as error:
                question.answers.append((printable(answer, LONGEST_REPEATED), str(error)))
            else:
                self._count(question)
                return action
        self._count(question, random_move=True)
        return instead

    def _count(self, question: Question, random_move: bool = False) -> None:
        """Count a decision, and say so where a random action takes the place of the model's."""
        with self._lock:
            self.decisions += 1
            self.refused += len(question.answers)
            self.random_moves += random_move
        if random_move:
            print(
                f"{self.name}: no legal action in {len(question.answers)} answers, the last {question.answers[-1][1]}; "
                f"a random one is played ({self.random_moves} of {self.decisions} decisions so far)",
                file=sys.stderr,
            )
