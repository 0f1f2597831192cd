"""Grid, medium, source and sensor of a simulation. Attributes have k-wave-python's names."""

from __future__ import annotations

import dataclasses
import math
from typing import Any, Optional, Sequence, Union

import numpy as np
from numpy.typing import ArrayLike

from ..errors import argument_error


class Grid:
    """A regular grid and its time steps.

    Parameters
    ----------
    N : sequence of int
        Number of points along x, (x, y) or (x, y, z).
    spacing : float or sequence of float
        Distance between points along each axis, in metres.
    dt : float, optional
        Time step in seconds. :meth:`make_time` computes it.
    Nt : int, optional
        Number of time steps.
    """

    def __init__(self, N: Sequence[int], spacing: float | Sequence[float], dt: float | None = None,
                 Nt: int | None = None) -> None:
        self.dt: Any
        self.Nt: Any
        self.N = tuple(int(n) for n in N)
        if len(self.N) not in (1, 2, 3) or min(self.N) < 1:
            raise argument_error(f"N is {tuple(N)}, expected one to three positive numbers")
        self.spacing = tuple(float(d) for d in np.broadcast_to(spacing, (len(self.N),)))
        if not all(d > 0 and math.isfinite(d) for d in self.spacing):
            raise argument_error(f"spacing is {spacing}, expected positive numbers")
        self.dt, self.Nt = dt, Nt

    def make_time(self, sound_speed: ArrayLike, t_end: float | None = None, cfl: float = 0.3) -> Grid:
        """Sets ``dt`` to ``cfl`` times the smallest spacing over the largest sound speed, and ``Nt`` to reach
        ``t_end`` seconds. By default ``t_end`` is the slowest wave's travel time along the grid's diagonal.
        Returns the grid."""
        speed = np.asarray(sound_speed, float)
        self.dt = cfl * min(self.spacing) / speed.max()
        if t_end is None:
            t_end = math.hypot(*(n * d for n, d in zip(self.N, self.spacing))) / speed.min()
        self.Nt = int(math.floor(t_end / self.dt + 1e-9)) + 1
        return self

    @property
    def dim(self) -> int:
        """Number of axes."""
        return len(self.N)

    @property
    def t_array(self) -> np.ndarray:
        """Times of the steps, in seconds."""
        return np.arange(self.Nt) * self.dt

    def __repr__(self) -> str:
        return f"<hybridfft.kspace.Grid {self.N}, spacing {self.spacing} m, dt {self.dt} s, Nt {self.Nt}>"

    def axis(self, axis: int) -> np.ndarray:
        """Returns the coordinates of the points along an axis in metres, with 0 at point n // 2."""
        return axis_of(self.N[axis], self.spacing[axis])


def axis_of(n, spacing):
    """Returns the coordinates of n points, with 0 at point n // 2 as in k-Wave."""
    return (np.arange(n) - n // 2) * spacing


@dataclasses.dataclass
class Medium:
    """The acoustic medium. Its properties are numbers, or arrays with one value per point of the grid."""

    sound_speed: Any  #: m/s
    density: Any = 1000.0  #: kg/m^3
    alpha_coeff: Any = None  #: absorption coefficient, dB/(MHz^y cm); None: no absorption
    alpha_power: Optional[float] = None  #: exponent y of the absorption's power law
    alpha_mode: Optional[str] = None  #: "stokes": absorption grows with the square of the frequency
    BonA: Any = None  #: nonlinearity parameter B/A; None: linear
    #: Reference speed of the k-space correction, m/s, or "min", "mean" or "max" of sound_speed. None means "max".
    sound_speed_ref: Union[float, str, None] = None


@dataclasses.dataclass
class Source:
    """The source of waves. Masks are True at the source's points. Signals have a single row for all points, or one
    row per point in the order of ``numpy.argwhere(mask)``; :func:`simulate` can choose another order."""

    p0: Any = None  #: initial pressure, Pa
    p_mask: Any = None
    p: Any = None  #: pressure, Pa
    p_mode: str = "additive"  #: or "additive-no-correction", "dirichlet"
    u_mask: Any = None
    ux: Any = None  #: velocity along x, m/s
    uy: Any = None
    uz: Any = None
    u_mode: str = "additive"


@dataclasses.dataclass
class Sensor:
    """The recorded points and quantities. ``mask`` is True at the recorded points, or describes boxes by one column
    each: ``x1, y1, z1, x2, y2, z2`` in three dimensions, ``x1, y1, x2, y2`` in two, ``x1, x2`` in one. As in k-Wave,
    these indices count from 1, and a box includes its last point."""

    mask: Any = None
    record: Optional[Sequence[str]] = None  #: names of quantities; see :func:`simulate`
    record_start_index: int = 1  #: first recorded step, counted from 1
