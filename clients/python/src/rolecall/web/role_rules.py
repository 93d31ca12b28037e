"""Who may come in, by their roles."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Sequence, Union

from ..models import Session


class NotGiven(Enum):
    """An argument that was left out. None would also be a setting that is missing, which must not open a page."""

    NOT_GIVEN = "not given"


Roles = Union[Sequence[str], NotGiven]


@dataclass(frozen=True)
class RoleRules:
    """Who may come in. Neither: whoever has a live session."""

    #: At least one of these roles, by id.
    any_of: Roles = NotGiven.NOT_GIVEN
    #: Every one of these roles, by id.
    all_of: Roles = NotGiven.NOT_GIVEN

    def __post_init__(self) -> None:
        for name, roles in (("any_of", self.any_of), ("all_of", self.all_of)):
            if not isinstance(roles, NotGiven) and not _are_role_ids(roles):
                raise ValueError(f"{name} must be a list of role ids that is not empty; leave it out to ask for none")

    def allow(self, session: Session) -> bool:
        held = {role.role_id for role in session.roles}
        return (isinstance(self.any_of, NotGiven) or not held.isdisjoint(self.any_of)) and (
            isinstance(self.all_of, NotGiven) or held.issuperset(self.all_of)
        )


def _are_role_ids(roles: object) -> bool:
    """Not a single string either, which is a sequence of letters."""
    if not isinstance(roles, (list, tuple, set, frozenset)) or not roles:
        return False
    return all(isinstance(role, str) and role for role in roles)
