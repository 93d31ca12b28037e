import { rolecall } from '../../lib/rolecall'

// A page for every member of the Discord server.
export default async function Members() {
  const { member, roles } = await rolecall.requireMember()
  return (
    <>
      <h1>Members</h1>
      <p>You are {member.username}. Your roles:</p>
      <ul>
        {roles.map(({ roleId, roleName }) => (
          <li key={roleId}>{roleName}</li>
        ))}
      </ul>
    </>
  )
}
