import { useLocation, useNavigate, useRouter } from '@tanstack/react-router'

/** Returns `navigate` for the end of an action. It does nothing if the user has left the page while the action ran. */
export function useNavigateFromHere(): ReturnType<typeof useNavigate> {
  const navigate = useNavigate()
  const router = useRouter()
  const { pathname } = useLocation()
  return async (options) => {
    if (router.latestLocation.pathname === pathname) await navigate(options)
  }
}
