"""Moments on two clocks: a monotonic clock, and the wall clock, which continues while the machine sleeps."""

from __future__ import annotations

import time
from typing import NamedTuple


class Moment(NamedTuple):
    monotonic_sec: float
    wall_sec: float

    def plus(self, seconds: float) -> Moment:
        return Moment(self.monotonic_sec + seconds, self.wall_sec + seconds)

    def is_before(self, now: Moment) -> bool:
        """A moment has passed if either clock says so."""
        return self.monotonic_sec < now.monotonic_sec or self.wall_sec < now.wall_sec


def moment() -> Moment:
    return Moment(time.monotonic(), time.time())
