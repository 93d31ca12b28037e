"""
Moments on two clocks. The monotonic clock is not affected if the machine's time is changed, but may stop while the
machine sleeps. The wall clock continues then.
"""

from __future__ import annotations

import time
from typing import NamedTuple


class Moment(NamedTuple):
    """A moment, in seconds on each clock."""

    monotonic_sec: float
    wall_sec: float

    def plus(self, seconds: float) -> Moment:
        return Moment(self.monotonic_sec + seconds, self.wall_sec + seconds)

    def is_before(self, now: Moment) -> bool:
        """Returns true if the moment has passed on at least one of the clocks."""
        return self.monotonic_sec < now.monotonic_sec or self.wall_sec < now.wall_sec


def moment() -> Moment:
    return Moment(time.monotonic(), time.time())
