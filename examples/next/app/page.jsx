import { rolecall } from '../lib/rolecall'

// Addresses of the login are no pages: plain links and forms, which load the document.
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
