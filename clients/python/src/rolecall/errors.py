"""The errors of a failed call."""

from __future__ import annotations

import json
from typing import Mapping, Optional, Tuple, Type, cast

from .json_values import as_object, items, optional_text, text
from .models import ErrorCode, ProblemDetail


class RolecallError(Exception):
    """
    The error of a failed call. Contains neither the API key nor a token, so you can log it. Its subclasses follow the
    HTTP status. To tell errors apart more precisely, compare ``code``.
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
        #: Stable code, for comparisons.
        self.code: ErrorCode = code
        #: HTTP status of the response. None if there was no response.
        self.status = status
        #: The problem and its fix, in words for the developer.
        self.detail = detail
        #: The service's ID of the request. Quote it when you contact an operator.
        self.request_id = request_id
        #: The invalid fields of the request. If there are many, only the first ones. Empty for most errors.
        self.errors = errors
        #: The number of further problems that ``errors`` does not list.
        self.more_errors = more_errors
        #: The number of seconds after which to retry, if the response names it. Usual for 429 and 503.
        self.retry_after_sec = retry_after_sec


class NetworkError(RolecallError):
    """``NETWORK_ERROR``: the service cannot be reached, or the connection failed."""


class CallTimeoutError(RolecallError):
    """``TIMEOUT``: the service did not respond in time."""


class UnexpectedResponseError(RolecallError):
    """``UNEXPECTED_RESPONSE``: the response is not one of the service. Often ``base_url`` is wrong."""


class BadRequestError(RolecallError):
    """400, and every other 4xx status without a class of its own."""


class AuthenticationError(RolecallError):
    """401: the key, the code, the token, or the signature is not valid."""


class PermissionDeniedError(RolecallError):
    """403: the project or the member does not have the permission."""


class NotFoundError(RolecallError):
    """404: what the call names does not exist, or the project cannot access it."""


class ConflictError(RolecallError):
    """409: the call conflicts with the present state."""


class UnprocessableError(RolecallError):
    """422: the payload does not match the schema. ``errors`` lists the mismatches."""


class RateLimitError(RolecallError):
    """429: too many calls. Wait for ``retry_after_sec`` seconds."""


class ServiceError(RolecallError):
    """500 and above: the service cannot handle the call at this moment."""


_classes: Mapping[int, Type[RolecallError]] = {
    401: AuthenticationError,
    403: PermissionDeniedError,
    404: NotFoundError,
    409: ConflictError,
    422: UnprocessableError,
    429: RateLimitError,
}


def error_of(status: int, headers: Mapping[str, str], content: bytes) -> RolecallError:
    """
    Converts a failed response to an error. If the body is not problem JSON, another server on the way has sent it, and
    the code is ``UNEXPECTED_RESPONSE``.
    """
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
        f"The response was {status} with {media_type}, which is not a response of Rolecall. Check base_url.",
        status=status,
        request_id=headers.get("x-request-id"),
        retry_after_sec=retry_after_sec,
    )


def network_error(base_url: str, why: str) -> NetworkError:
    return NetworkError("NETWORK_ERROR", f"{base_url} cannot be reached ({why}).")


def timeout_error(base_url: str, timeout_sec: float) -> CallTimeoutError:
    return CallTimeoutError("TIMEOUT", f"{base_url} did not respond within {timeout_sec:g} s.")


def _seconds(value: Optional[str]) -> Optional[float]:
    return float(value) if value is not None and value.isdecimal() else None
