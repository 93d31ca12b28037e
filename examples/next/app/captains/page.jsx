import { rolecall } from '../../lib/rolecall'

const captain = '1100094049760706562'

// A page for members who have the role at this moment.
export default async function Captains() {
  const { member } = await rolecall.requireMember({ anyOf: [captain] })
  return (
    <>
      <h1>Captains</h1>
      <p>Welcome to the bridge, {member.username}.</p>
    </>
  )
}
