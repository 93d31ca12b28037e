"""
Reads typed values from the service's JSON. Each function raises ``UnexpectedJson`` if the value is missing or has
another type. The ``optional_`` functions return None if the value is missing or null.
"""

from __future__ import annotations

from datetime import datetime
from typing import Callable, Mapping, Optional, Tuple, TypeVar

T = TypeVar("T")


class UnexpectedShape(ValueError):
    """Raised if JSON is not what the service sends. The message names the field, but never the value."""


def as_object(value: object) -> Mapping[str, object]:
    if not isinstance(value, dict):
        raise UnexpectedShape("an object is missing")
    return value


def text(data: Mapping[str, object], key: str) -> str:
    value = data.get(key)
    if not isinstance(value, str):
        raise UnexpectedShape(f"{key} is not text")
    return value


def optional_text(data: Mapping[str, object], key: str) -> Optional[str]:
    return None if data.get(key) is None else text(data, key)


def integer(data: Mapping[str, object], key: str) -> int:
    value = data.get(key)
    # In Python, a boolean is also an int.
    if not isinstance(value, int) or isinstance(value, bool):
        raise UnexpectedShape(f"{key} is not an integer")
    return value


def optional_integer(data: Mapping[str, object], key: str) -> Optional[int]:
    return None if data.get(key) is None else integer(data, key)


def flag(data: Mapping[str, object], key: str) -> bool:
    value = data.get(key)
    if not isinstance(value, bool):
        raise UnexpectedShape(f"{key} is neither true nor false")
    return value


def optional_flag(data: Mapping[str, object], key: str) -> Optional[bool]:
    return None if data.get(key) is None else flag(data, key)


def time(data: Mapping[str, object], key: str) -> datetime:
    value = text(data, key)
    try:
        # Before Python 3.11, `fromisoformat` does not accept a Z.
        return datetime.fromisoformat(value[:-1] + "+00:00" if value.endswith("Z") else value)
    except ValueError:
        raise UnexpectedShape(f"{key} is not a time") from None


def optional_time(data: Mapping[str, object], key: str) -> Optional[datetime]:
    return None if data.get(key) is None else time(data, key)


def item(data: Mapping[str, object], key: str, read: Callable[[object], T]) -> T:
    return read(data.get(key))


def optional_item(data: Mapping[str, object], key: str, read: Callable[[object], T]) -> Optional[T]:
    return None if data.get(key) is None else read(data[key])


def items(data: Mapping[str, object], key: str, read: Callable[[object], T]) -> Tuple[T, ...]:
    values = data.get(key)
    if not isinstance(values, list):
        raise UnexpectedShape(f"{key} is not a list")
    return tuple(read(value) for value in values)


def texts(data: Mapping[str, object], key: str) -> Tuple[str, ...]:
    values = data.get(key)
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise UnexpectedShape(f"{key} is not a list of texts")
    return tuple(values)


def optional_items(
    data: Mapping[str, object], key: str, read: Callable[[object], T]
) -> Optional[Tuple[T, ...]]:
    return None if data.get(key) is None else items(data, key, read)
