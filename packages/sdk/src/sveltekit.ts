import type { Session } from './contract-types.ts'
import type { MemberRules } from './guard.ts'
import type { Rolecall } from './rolecall.ts'
import { createAdapter } from './site/adapter.ts'
import { incomingOf, isNavigation } from './site/incoming.ts'
import { lazily } from './site/lazily.ts'
import { textsFor } from './site/page-language.ts'
import { isReplacement } from './site/replace-page.ts'
import type { SiteOptions } from './site/settings.ts'
import { createSite } from './site/site.ts'

export type { PageDetails } from './site/page-details.ts'
export type { SessionStore, SiteOptions } from './site/settings.ts'

/**
 * The parts of `@sveltejs/kit` that are used here. The app passes them, so that both use the same classes of errors.
 */
export interface KitParts {
  error(status: number, message: string): never
  redirect(status: 303, location: string): never
}

interface Event {
  readonly request: Request
  readonly url: URL
  readonly isDataRequest: boolean
}

interface HandleInput<InputEvent extends Event> {
  readonly event: InputEvent
  readonly resolve: (event: InputEvent) => Response | Promise<Response>
}

const adapter = createAdapter<Request>('The handle of createRolecall(), in hooks.server,')
/** The responses that `handle` sends instead of SvelteKit's error response, by request. */
const refusals = new WeakMap<Request, Response>()

/**
 * Adds the complete sign-in to SvelteKit.
 *
 * @example
 * // src/lib/server/rolecall.ts
 * export const rolecall = createRolecall({ error, redirect })
 * // src/hooks.server.ts
 * export const handle = rolecall.handle
 * // +page.server.ts
 * export const load = async (event) => ({ member: (await rolecall.requireMember(event, { anyOf: [crewRoleId] })).member })
 */
export function createRolecall({ error, redirect }: KitParts, options: SiteOptions = {}) {
  const site = lazily(() => createSite(options))
  return {
    get client(): Rolecall {
      return site().client
    },

    /**
     * Handles the sign-in routes and refreshes sessions. Export it from `hooks.server.ts`, alone or in `sequence()`.
     */
    async handle<InputEvent extends Event>({ event, resolve }: HandleInput<InputEvent>): Promise<Response> {
      // Uses the path of `event.url`, because the path of a data request has a suffix.
      const { pathname, search } = event.url
      const opened = await site().open({ ...incomingOf(event.request), path: pathname + search })
      const response = adapter.storeVisit(event.request, opened)
      if (response) return response
      const made = await resolve(event)
      return site().finished(opened.visit, refusals.get(event.request) ?? made)
    },

    /**
     * Returns the session of the signed-in member, or undefined if no member is signed in. Rejects during an outage,
     * when that cannot be determined.
     */
    currentSession: (event: Pick<Event, 'request'>): Promise<Session | undefined> =>
      adapter.currentSession(event.request),

    /**
     * Returns the session of a member with the required roles, for `load`, actions and endpoints. Other visitors are
     * sent to sign in, or see the error page. Programs receive 401, 403 or 503 as problem JSON.
     */
    async requireMember(event: Event, rules?: MemberRules): Promise<Session> {
      const { decide, request } = adapter.visitOf(event.request)
      const decision = await decide(rules)
      if ('session' in decision) return decision.session
      const { refusal } = decision
      const { appUrl, authPath } = site().settings
      const login = `${appUrl}${authPath}/login?${new URLSearchParams({ return_to: event.url.pathname + event.url.search })}`
      const isPage = event.isDataRequest || isNavigation(request)
      const isOwnPage = isReplacement(refusal)
      if (isPage && !isOwnPage && [302, 401].includes(refusal.status)) return redirect(303, login)
      if (!isPage || isOwnPage) refusals.set(event.request, refusal)
      const texts = textsFor(site().settings, request)
      return refusal.status === 503
        ? error(503, texts.SESSION_CHECK_UNAVAILABLE)
        : error(refusal.status < 400 ? 403 : refusal.status, texts.ROLE_REQUIRED)
    },

    /** Ends the session. Call it in actions, before the response is sent. */
    signOut: (event: Pick<Event, 'request'>): Promise<void> => adapter.signOut(event.request),
  }
}
