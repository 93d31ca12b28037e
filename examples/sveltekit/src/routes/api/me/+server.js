import { rolecall } from '$lib/server/rolecall'

// An endpoint for programs. Without access, they receive 401 or 403 instead of a page.
export const GET = async (event) => {
  const { member, roles } = await rolecall.requireMember(event)
  return Response.json({ username: member.username, roles: roles.map(({ roleName }) => roleName) })
}
