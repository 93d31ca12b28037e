import { rolecall } from '../lib/rolecall'

// Uses plain links and forms for the sign-in routes. They are not pages of the app, so `<Link>` does not work for them.
export default async function Home() {
  const session = await rolecall.currentSession()
  return (
    <>
      <h1>Harbour notice board</h1>
      {session ? (
        <>
          <p>Hello {session.member.username}</p>
          <p>
            <a href="/members">Members</a> <a href="/captains">Captains</a> <a href="/api/me">API</a>
          </p>
          <form method="post" action="/auth/logout">
            <button type="submit">Sign out</button>
          </form>
        </>
      ) : (
        <a href="/auth/login">Sign in</a>
      )}
    </>
  )
}
