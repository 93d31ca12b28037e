import { form, redirect } from '../http/call.ts'
import type { Route } from '../http/route.ts'
import { refuseCrossSite } from '../http/same-origin.ts'
import { refusalPage } from '../pages/refusal.ts'
import { findUser } from '../world/state.ts'
import { signInCookie, signOutCookie } from './login-cookie.ts'

/** The route that signs a user in or out. There are no passwords here: the person chooses an account. */
export const login: Route = {
  name: 'login',
  method: 'POST',
  path: '/login',
  at: 'root',
  auth: 'none',
  handle({ world }, call) {
    refuseCrossSite(call)
    const body = form(call)
    const next = body.get('next') ?? ''
    // Redirects only to the authorize screen, so that the form cannot send a browser to another address.
    if (!/^(?:\/api(?:\/v\d+)?)?\/oauth2\/authorize\?/.test(next))
      return refusalPage('The request has no address to continue to.')
    const id = body.get('user') ?? ''
    if (id === '') return redirect(next, 303, { 'set-cookie': signOutCookie })
    const user = findUser(world, id)
    if (!user || user.bot) return refusalPage('No person with this ID can sign in.')
    return redirect(next, 303, { 'set-cookie': signInCookie(id) })
  },
}
