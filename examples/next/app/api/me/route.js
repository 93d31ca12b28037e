import { rolecall } from '../../../lib/rolecall'

// An endpoint for programs. Without access, they receive 401 or 403 instead of a page.
export const GET = rolecall.requireMember({}, (_request, _context, { member, roles }) =>
  Response.json({ username: member.username, roles: roles.map(({ roleName }) => roleName) }),
)
