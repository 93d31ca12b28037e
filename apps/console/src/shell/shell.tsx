import { useQuery } from '@tanstack/react-query'
import { Outlet, useLocation, useRouteContext } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useRef } from 'react'
import { useConnection } from '../api/connection.ts'
import { useSessionKept } from '../api/keep-session.ts'
import { useLive } from '../api/live.ts'
import { profile } from '../api/session.ts'
import { keepFocus } from '../components/focus.ts'
import { Toasts } from '../components/toast.tsx'
import { ConnectionBar } from './connection-bar.tsx'
import { Keyboard } from './keyboard.tsx'
import { Brand, LoginPage } from './login-page.tsx'
import { PageClosed } from './page-closed.tsx'
import { fileOf } from './page-file.tsx'
import { closedPlace } from './places.ts'
import { ProfileContext, useMayRead } from './profile.ts'
import { SideBar } from './side-bar.tsx'

const SessionEnded = lazy(fileOf(() => import('./session-ended.tsx')))

/** The frame of every page. Until an administrator signs in, it contains only the login page. */
export function Shell() {
  const { data, error, failureReason } = useQuery(profile)
  const { state } = useConnection()
  const { loginFailure } = useRouteContext({ from: '__root__' })
  const { pathname } = useLocation()
  if (data === undefined)
    return error || loginFailure ? (
      <LoginPage reason={loginFailure ?? error} />
    ) : (
      <Starting isUnreachable={failureReason !== null} />
    )
  const closed = closedPlace(data, pathname)
  return (
    <ProfileContext value={data}>
      {/* The key resets everything when another administrator signs in, who must not see the input of the former one. */}
      <Toasts key={data.id}>
        <button type="button" className="skip" onClick={focusContent}>
          Skip to content
        </button>
        <div className="shell">
          <SideBar profile={data} />
          <div className="content">
            <ConnectionBar />
            <main id="content">
              <FocusOnNavigation />
              {closed ? <PageClosed place={closed} /> : <Outlet />}
            </main>
          </div>
        </div>
        <Live />
        {state === 'ended' ? (
          <Suspense fallback={null}>
            <SessionEnded />
          </Suspense>
        ) : (
          <Keyboard profile={data} />
        )}
      </Toasts>
    </ProfileContext>
  )
}

function Live() {
  useLive(useMayRead())
  useSessionKept()
  return null
}

/** The page before the first response. It is visible only if the response is slow. */
const Starting = ({ isUnreachable }: { isUnreachable: boolean }) => (
  <main className="way-in late">
    <div className="way-in-card" role="status">
      <Brand />
      <h1>{isUnreachable ? 'Rolecall cannot be reached' : 'Loading the console…'}</h1>
      {isUnreachable && <p>The console opens automatically when Rolecall responds.</p>}
    </div>
  </main>
)

function focusContent() {
  document.querySelector<HTMLElement>('main h1')?.focus()
}

/**
 * Moves the focus to the page title after a navigation, so that the next Tab continues there. It does the same if the
 * focused element is removed.
 */
function FocusOnNavigation() {
  useEffect(keepFocus, [])
  const { pathname } = useLocation()
  const before = useRef(pathname)
  useEffect(() => {
    if (before.current === pathname) return
    before.current = pathname
    const main = document.querySelector('main')
    const focus = () => {
      const title = main?.querySelector<HTMLElement>('h1')
      title?.focus({ preventScroll: true })
      return title !== undefined && title !== null
    }
    if (focus() || !main) return
    // If the page is still loading, waits until its title appears.
    const observer = new MutationObserver(() => focus() && observer.disconnect())
    observer.observe(main, { childList: true, subtree: true })
    return () => observer.disconnect()
  }, [pathname])
  return null
}
