import { useEffect, useRef } from 'react'
import { loginAddress, logOut } from '../api/session.ts'
import { Button, ButtonAnchor } from '../components/button.tsx'
import { Notice } from '../components/states.tsx'

interface Refusal {
  readonly code?: string
  readonly detail?: string
  readonly requestId?: string
}

/** The page for a visitor without a session or without access: not signed in, signed out, or not permitted. */
export const LoginPage = ({ reason }: { reason: unknown }) => (
  <main className="way-in">
    <div className="way-in-card">
      <LoginCard reason={reason} />
    </div>
  </main>
)

/** The content of the login page. For the reason `ended`, the page below stays open, so the link opens a new tab. */
export function LoginCard({ reason }: { reason: unknown }) {
  const { code, detail, requestId } = (typeof reason === 'object' ? reason : {}) as Refusal
  const place = location.pathname + location.search
  const isLoggedOut = new URLSearchParams(location.search).has('logged_out')
  const isEnded = reason === 'ended'
  const title = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    const before = document.title
    title.current?.focus()
    document.title = 'Sign in · Rolecall'
    return () => {
      document.title = before
    }
  }, [])
  const isNotAllowed = code === 'NOT_SYSTEM_ADMIN'
  const isFailure = !isNotAllowed && code !== undefined && code !== 'INVALID_TOKEN'
  return (
    <>
      <Brand />
      <h1 tabIndex={-1} ref={title}>
        {isNotAllowed
          ? 'You are not an administrator'
          : isEnded
            ? 'Your session has ended'
            : 'Administration'}
      </h1>
      {isNotAllowed ? (
        <>
          <p>
            To use the console, you need the administrator or auditor role in the main server, or you must own
            a project. Ask an administrator of this community for access, and then sign in again.
          </p>
          <p className="quiet">{detail}</p>
        </>
      ) : (
        <p>
          {isEnded
            ? 'Sign in again in the tab that opens. Then return to this page. The text in your forms is still here.'
            : isLoggedOut
              ? 'You are signed out.'
              : 'Manage the projects, members, and servers of your community. Sign in with your Discord account.'}
        </p>
      )}
      {isFailure && (
        <Notice tone="bad" title="Sign-in failed">
          {detail}
          <span className="quiet">
            {code} {requestId && `· request ${requestId}`}
          </span>
        </Notice>
      )}
      <div className="row">
        {isEnded ? (
          <ButtonAnchor kind="main" href={loginAddress('/console/')} target="_blank" rel="noreferrer">
            Sign in
          </ButtonAnchor>
        ) : (
          <ButtonAnchor kind="main" href={loginAddress(isLoggedOut ? '/console/' : place)}>
            Sign in
          </ButtonAnchor>
        )}
        {isNotAllowed && <Button onClick={() => void logOut()}>Sign out</Button>}
      </div>
    </>
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
