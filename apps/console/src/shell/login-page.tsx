import { useEffect, useRef } from 'react'
import { loginAddress, logOut } from '../api/session.ts'
import { Button, ButtonAnchor } from '../components/button.tsx'
import { Notice } from '../components/states.tsx'

interface Refusal {
  readonly code?: string
  readonly detail?: string
  readonly requestId?: string
}

/** The page for a visitor who is not signed in, for one with an ended session, and for an account without access. */
export function LoginPage({ reason }: { reason: unknown }) {
  const { code, detail, requestId } = (typeof reason === 'object' ? reason : {}) as Refusal
  const place = location.pathname + location.search
  const isLoggedOut = new URLSearchParams(location.search).has('logged_out')
  const title = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    title.current?.focus()
    document.title = 'Log in · Rolecall'
  }, [])
  const isNotAllowed = code === 'NOT_SYSTEM_ADMIN'
  const isFailure = !isNotAllowed && code !== undefined && code !== 'INVALID_TOKEN'
  return (
    <main className="way-in">
      <div className="way-in-card">
        <Brand />
        <h1 tabIndex={-1} ref={title}>
          {isNotAllowed
            ? 'You are no administrator'
            : reason === 'ended'
              ? 'Your session has ended'
              : 'Administration'}
        </h1>
        {isNotAllowed ? (
          <>
            <p>
              This takes the admin role in the main server, or a project of your own. Ask whoever runs this
              community for it, then try again.
            </p>
            <p className="quiet">{detail}</p>
          </>
        ) : (
          <p>
            {reason === 'ended'
              ? 'Log in again to go on where you were. What you typed into forms is kept.'
              : isLoggedOut
                ? 'You are logged out here.'
                : 'Projects, members and servers of your community. You log in with your account at the chat platform.'}
          </p>
        )}
        {isFailure && (
          <Notice tone="bad" title="That did not work">
            {detail}
            <span className="quiet">
              {code} {requestId && `· request ${requestId}`}
            </span>
          </Notice>
        )}
        <div className="row">
          <ButtonAnchor kind="main" href={loginAddress(isLoggedOut ? '/console/' : place)}>
            Log in
          </ButtonAnchor>
          {isNotAllowed && <Button onClick={() => void logOut()}>Log out</Button>}
        </div>
      </div>
    </main>
  )
}

export const Brand = () => (
  <span className="brand">
    <svg width="20" height="20" viewBox="0 0 20 20" aria-hidden="true">
      <rect width="20" height="20" rx="5" fill="var(--accent-ground)" />
      <path
        d="M5.5 10.4l2.8 2.8 6.2-6.4"
        fill="none"
        stroke="#fff"
        strokeWidth="2"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
    Rolecall
  </span>
)
