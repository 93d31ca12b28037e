import { rolecall } from '$lib/server/rolecall'

// A page for every member of the Discord server.
export const load = async (event) => {
  const { member, roles } = await rolecall.requireMember(event)
  return { username: member.username, roles: roles.map(({ roleName }) => roleName) }
}
