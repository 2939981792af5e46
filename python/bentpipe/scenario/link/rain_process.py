"""Rain attenuation as a random process in time (ITU-R P.1853-1 section 2).

Model page: docs/models/rain.md.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import accumulate
from statistics import NormalDist, linear_regression

import numpy as np
from numpy.typing import NDArray

BETA_PER_S = 2e-4
"""The inverse of the time over which rain forgets (P.1853-1 section 2, step B)."""


@dataclass(frozen=True, kw_only=True)
class RainProcess:
    """Rain that comes and goes: A(t) = max(exp(m + sigma X(t)) - A_offset, 0).

    X is Gaussian with mean 0, variance 1 and autocorrelation exp(-beta |t|).

    Parameters
    ----------
    mean_ln, sd_ln : float
        m and sigma, of the natural logarithm of the attenuation in dB.
    rain_probability : float
        Share of the time in which it rains.
    """

    mean_ln: float
    sd_ln: float
    rain_probability: float

    @classmethod
    def fitted(cls, curve: Iterable[tuple[float, float]], *, rain_probability: float) -> "RainProcess":
        """Return the process whose ln A is a line of least squares, ln A_i = m + sigma Q^-1(p_i).

        Parameters
        ----------
        curve : iterable of (float, float)
            Two pairs or more of a probability and the attenuation in dB that is exceeded with it.
        rain_probability : float
            Share of the time in which it rains, above all probabilities of the curve.
        """
        pairs = list(curve)
        quantiles = [_upper_quantile(p) for p, _ in pairs]
        line = linear_regression(quantiles, [math.log(db) for _, db in pairs])
        return cls(mean_ln=line.intercept, sd_ln=line.slope, rain_probability=rain_probability)

    @property
    def offset_db(self) -> float:
        """A_offset, taken off so that it rains no more often than it does: exp(m + sigma Q^-1(P_rain))."""
        return self._lognormal_db(self.rain_probability)

    def exceeded_db(self, p: float) -> float:
        """Return the attenuation in dB that is exceeded with a probability."""
        return max(self._lognormal_db(p) - self.offset_db, 0)

    def synthesised(self, *, samples: int, step_s: float, seed: int) -> NDArray[np.float64]:
        """Return so many samples of the attenuation in dB."""
        gaussian = correlated_gaussian(samples=samples, step_s=step_s, seed=seed)
        return np.maximum(np.exp(self.mean_ln + self.sd_ln * gaussian) - self.offset_db, 0)

    def _lognormal_db(self, p: float) -> float:
        return math.exp(self.mean_ln + self.sd_ln * _upper_quantile(p))


def correlated_gaussian(*, samples: int, step_s: float, seed: int) -> NDArray[np.float64]:
    """Return so many samples of X: X_0 = n_0, X_k = rho X_(k-1) + sqrt(1 - rho^2) n_k, rho = exp(-beta step).

    Starting with the distribution that X has at any time, no first samples need to be thrown away.
    """
    rho = math.exp(-BETA_PER_S * step_s)
    noise = np.random.default_rng(seed).standard_normal(samples)
    noise[1:] *= math.sqrt(1 - rho * rho)
    return np.fromiter(accumulate(noise.data, lambda x, n: rho * x + n), np.float64, samples)


def _upper_quantile(p: float) -> float:
    """Return Q^-1(p): what a standard Gaussian exceeds with a probability."""
    return -NormalDist().inv_cdf(p)
