"""Why a call failed."""

from __future__ import annotations

import json
from typing import Mapping, Optional, Tuple, Type, cast

from .json_values import as_object, items, optional_text, text
from .models import ErrorCode, ProblemDetail


class RolecallError(Exception):
    """
    Why a call failed. Never carries the API key or a token, so it may be logged as it is.

    The classes below follow the HTTP status; ``code`` is the stable reason, to be compared with.
    """

    def __init__(
        self,
        code: ErrorCode,
        detail: str,
        *,
        status: Optional[int] = None,
        request_id: Optional[str] = None,
        errors: Tuple[ProblemDetail, ...] = (),
        more_errors: int = 0,
        retry_after_sec: Optional[float] = None,
    ) -> None:
        problems = "".join(f" {error.path} {error.message}." for error in errors)
        more = f" And {more_errors} more." if more_errors > 0 else ""
        super().__init__(f"{code}: {detail}{problems}{more}")
        #: Stable, to be compared with.
        self.code: ErrorCode = code
        #: HTTP status of the answer; None when there was none.
        self.status = status
        #: What is wrong and how to mend it, for the developer.
        self.detail = detail
        #: The service's name for the request: quote it when you ask an operator.
        self.request_id = request_id
        #: Problems of the request, the first ones where there are many; often empty.
        self.errors = errors
        #: How many more problems the service found.
        self.more_errors = more_errors
        #: Seconds after which another try is worth it, with 429 and 503.
        self.retry_after_sec = retry_after_sec


class NetworkError(RolecallError):
    """No answer came: ``NETWORK_ERROR``."""


class CallTimeoutError(RolecallError):
    """No answer came in time: ``TIMEOUT``."""


class UnexpectedResponseError(RolecallError):
    """Something else answered: ``UNEXPECTED_RESPONSE``. Often ``base_url`` is wrong."""


class BadRequestError(RolecallError):
    """400 and other mistakes of the caller that have no class of their own."""


class AuthenticationError(RolecallError):
    """401: the key, the code, the token or the signature does not count."""


class PermissionDeniedError(RolecallError):
    """403: the project may not do this."""


class NotFoundError(RolecallError):
    """404."""


class ConflictError(RolecallError):
    """409."""


class UnprocessableError(RolecallError):
    """422: the payload does not fit; ``errors`` says where."""


class RateLimitError(RolecallError):
    """429: wait for ``retry_after_sec``."""


class ServiceError(RolecallError):
    """500 and above: the service cannot answer right now."""


_classes: Mapping[int, Type[RolecallError]] = {
    401: AuthenticationError,
    403: PermissionDeniedError,
    404: NotFoundError,
    409: ConflictError,
    422: UnprocessableError,
    429: RateLimitError,
}


def error_of(status: int, headers: Mapping[str, str], content: bytes) -> RolecallError:
    """A refusal of the service as an error; what is no refusal of its own came from something else on the way."""
    request_id = headers.get("x-request-id")
    retry_after_sec = _seconds(headers.get("retry-after"))
    try:
        problem = as_object(json.loads(content))
        code, detail, title = text(problem, "code"), text(problem, "detail"), optional_text(problem, "title")
        errors = items(problem, "errors", ProblemDetail.from_json) if "errors" in problem else ()
        more = problem.get("more")
    except ValueError:
        return unexpected_response(status, headers, retry_after_sec)
    kind = _classes.get(status, ServiceError if status >= 500 else BadRequestError)
    return kind(
        # A newer service may send codes that this version does not list.
        cast(ErrorCode, code),
        f"{title} {detail}" if title else detail,
        status=status,
        request_id=optional_text(problem, "requestId") or request_id,
        errors=errors,
        more_errors=more if isinstance(more, int) else 0,
        retry_after_sec=retry_after_sec,
    )


def unexpected_response(
    status: int, headers: Mapping[str, str], retry_after_sec: Optional[float] = None
) -> UnexpectedResponseError:
    media_type = headers.get("content-type", "no content type")
    return UnexpectedResponseError(
        "UNEXPECTED_RESPONSE",
        f"The answer was {status} with {media_type}, which is not one of Rolecall: check base_url.",
        status=status,
        request_id=headers.get("x-request-id"),
        retry_after_sec=retry_after_sec,
    )


def network_error(base_url: str, why: str) -> NetworkError:
    return NetworkError("NETWORK_ERROR", f"{base_url} cannot be reached ({why}).")


def timeout_error(base_url: str, timeout_sec: float) -> CallTimeoutError:
    return CallTimeoutError("TIMEOUT", f"{base_url} did not answer within {timeout_sec:g} s.")


def _seconds(value: Optional[str]) -> Optional[float]:
    return float(value) if value is not None and value.isdecimal() else None
