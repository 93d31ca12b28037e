"""Decides whether a failed call is retried."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Optional

from .errors import CallTimeoutError, NetworkError, RateLimitError, RolecallError

#: The maximum pause between attempts, in seconds, because a user waits for the page.
_longest_pause_sec = 3.0
#: The pause before the first retry, in seconds. It doubles with each further retry.
_first_pause_sec = 0.2


@dataclass(frozen=True)
class Retries:
    """Allows at most ``most`` retries, and only of calls that are safe to repeat."""

    most: int = 2

    def pause_sec(self, error: RolecallError, attempts: int, is_repeatable: bool) -> Optional[float]:
        """
        Returns the pause in seconds before a retry, or None if the call must not be retried. ``attempts`` is the number
        of attempts so far. A ``Retry-After`` of more than three seconds prevents the retry.
        """
        if not is_repeatable or attempts > self.most or not _may_pass(error):
            return None
        if error.retry_after_sec is not None:
            return error.retry_after_sec if error.retry_after_sec <= _longest_pause_sec else None
        return min(_first_pause_sec * 2.0 ** (attempts - 1), _longest_pause_sec) * (0.5 + random.random() / 2)


def _may_pass(error: RolecallError) -> bool:
    """Returns true if a retry may succeed. A call that timed out is not retried, because its time is used up."""
    if isinstance(error, CallTimeoutError):
        return False
    return isinstance(error, (NetworkError, RateLimitError)) or error.status in (502, 503, 504)
