import { rolecall } from '$lib/server/rolecall'

const captain = '1100094049760706562'

// A page for members who have the role at this moment.
export const load = async (event) => {
  const { member } = await rolecall.requireMember(event, { anyOf: [captain] })
  return { username: member.username }
}
