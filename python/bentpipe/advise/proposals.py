"""Which settings to try where there are more than can be tried: an optimiser proposes them."""

import logging
from typing import TYPE_CHECKING

from bentpipe.advise.contenders import Contender, Contenders
from bentpipe.advise.factors import Value
from bentpipe.advise.space import Space

if TYPE_CHECKING:
    import optuna

MOST_REPEATED = 40
"""Proposals in a row of what was proposed before, after which nothing new is expected."""


class Proposals:
    """Settings by the tree-structured Parzen estimator of Optuna (Bergstra et al. 2011).

    It takes each choice by itself, so that a choice which is there beside some others alone is one of those
    runs alone, and prefers values that fast settings had.
    """

    def __init__(self, space: Space, contenders: Contenders, *, seed: int) -> None:
        import optuna

        # It tells of each study on stderr.
        logging.getLogger("optuna").setLevel(logging.WARNING)
        self._space = space
        self._contenders = contenders
        self._study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=seed))
        self._open: dict[Contender, optuna.Trial] = {}
        self._scores: dict[Contender, float] = {}

    def next(self) -> Contender | None:
        """Return a setting that was not proposed before, or None where hardly any is left."""
        for _ in range(MOST_REPEATED):
            trial = self._study.ask()
            contender = self._named(trial)
            if contender is None:
                self._study.tell(trial, state=_failed())
            elif contender in self._scores:
                self._study.tell(trial, self._scores[contender])
            elif contender in self._open:
                self._study.tell(trial, state=_failed())
            else:
                self._open[contender] = trial
                return contender
        return None

    def tell(self, contender: Contender, score: float | None) -> None:
        """Tell how a proposal did, less being better; None where it has no number."""
        trial = self._open.pop(contender)
        if score is None:
            self._study.tell(trial, state=_failed())
        else:
            self._scores[contender] = score
            self._study.tell(trial, score)

    def _named(self, trial: "optuna.Trial") -> Contender | None:
        def choose(key: str, possible: tuple[Value, ...]) -> Value:
            # Where other choices leave it other values it is another choice.
            values = ", ".join(map(str, possible))
            chosen = trial.suggest_categorical(f"{key}: {values}", possible)
            assert isinstance(chosen, str | int | float)
            return chosen

        return self._contenders.named(self._space.chosen(choose))


def _failed() -> "optuna.trial.TrialState":
    from optuna.trial import TrialState

    return TrialState.FAIL
