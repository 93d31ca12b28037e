import { useQuery } from '@tanstack/react-query'
import { Outlet, useLocation, useRouteContext } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { useConnection } from '../api/connection.ts'
import { useSessionKept } from '../api/keep-session.ts'
import { useLive } from '../api/live.ts'
import { profile } from '../api/session.ts'
import { keepFocus } from '../components/focus.ts'
import { Toasts } from '../components/toast.tsx'
import { ConnectionBar } from './connection-bar.tsx'
import { Keyboard } from './keyboard.tsx'
import { LoginPage } from './login-page.tsx'
import { ProfileContext } from './profile.ts'
import { SideBar } from './side-bar.tsx'

/** The frame of every page. It contains only the login page until an administrator signs in. */
export function Shell() {
  const { data, error } = useQuery(profile)
  const { state } = useConnection()
  const { loginFailure } = useRouteContext({ from: '__root__' })
  if (data === undefined)
    return error || loginFailure ? <LoginPage reason={loginFailure ?? error} /> : <Starting />
  return (
    <ProfileContext value={data}>
      <Toasts>
        <button type="button" className="skip" onClick={focusContent}>
          Skip to content
        </button>
        <div className="shell">
          <SideBar profile={data} />
          <div className="content">
            <ConnectionBar />
            <main id="content">
              <FocusOnNavigation />
              <Outlet />
            </main>
          </div>
        </div>
        <Live />
        <Keyboard profile={data} />
        {state === 'ended' && <LoginPage reason="ended" />}
      </Toasts>
    </ProfileContext>
  )
}

function Live() {
  useLive()
  useSessionKept()
  return null
}

/** The shape of the shell, visible only if the response is slow. */
const Starting = () => (
  <div className="starting late" role="status">
    Rolecall
  </div>
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
    // The page is still loading.
    const observer = new MutationObserver(() => focus() && observer.disconnect())
    observer.observe(main, { childList: true, subtree: true })
    return () => observer.disconnect()
  }, [pathname])
  return null
}
