import { rolecall } from '$lib/server/rolecall'

export const load = async (event) => {
  const session = await rolecall.currentSession(event)
  return { username: session?.member.username }
}
