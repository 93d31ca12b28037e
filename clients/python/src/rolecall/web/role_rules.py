"""The roles that a page requires from its visitors."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Sequence, Union

from ..models import Session


class NotGiven(Enum):
    """
    The default of an omitted argument. None is not the default, because a missing setting would then admit everyone.
    """

    NOT_GIVEN = "not given"


Roles = Union[Sequence[str], NotGiven]


@dataclass(frozen=True)
class RoleRules:
    """The roles that a member must hold. Without rules, a live session is enough."""

    #: IDs of roles, at least one of which the member must hold.
    any_of: Roles = NotGiven.NOT_GIVEN
    #: IDs of roles, all of which the member must hold.
    all_of: Roles = NotGiven.NOT_GIVEN

    def __post_init__(self) -> None:
        for name, roles in (("any_of", self.any_of), ("all_of", self.all_of)):
            if not isinstance(roles, NotGiven) and not _are_role_ids(roles):
                raise ValueError(f"{name} must be a list of role IDs that is not empty. Omit it to require no role")

    def allow(self, session: Session) -> bool:
        held = {role.role_id for role in session.roles}
        return (isinstance(self.any_of, NotGiven) or not held.isdisjoint(self.any_of)) and (
            isinstance(self.all_of, NotGiven) or held.issuperset(self.all_of)
        )


def _are_role_ids(roles: object) -> bool:
    """Returns true for a list that is not empty. Rejects a string, which would pass as a sequence of letters."""
    if not isinstance(roles, (list, tuple, set, frozenset)) or not roles:
        return False
    return all(isinstance(role, str) and role for role in roles)
