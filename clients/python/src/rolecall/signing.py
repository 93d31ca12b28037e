"""The signature of a submission to an inbound webhook."""

from __future__ import annotations

import hashlib
import hmac
import time
from datetime import datetime
from typing import Optional, Union


def sign(body: Union[str, bytes], secret: str, at: Optional[datetime] = None) -> str:
    """
    Signs the body of a submission. Returns the value for the header ``X-SVC-Signature``.

    ``body`` is the body, exactly as you send it. ``secret`` is the webhook's signing secret, including its prefix
    ``whsec_``. The service accepts the signature within five minutes of ``at``, by default now.
    """
    if at is not None and at.tzinfo is None:
        raise ValueError("at needs a time zone")
    seconds = int(time.time() if at is None else at.timestamp())
    content = body.encode() if isinstance(body, str) else body
    mac = hmac.new(secret.encode(), b"%d." % seconds + content, hashlib.sha256).hexdigest()
    return f"t={seconds},v1={mac}"
