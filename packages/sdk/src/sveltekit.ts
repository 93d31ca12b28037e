import type { Session } from './contract-types.ts'
import type { MemberRules } from './guard.ts'
import type { Rolecall } from './rolecall.ts'
import { createAdapter } from './site/adapter.ts'
import { incomingOf, isNavigation } from './site/incoming.ts'
import { lazily } from './site/lazily.ts'
import type { SiteOptions } from './site/settings.ts'
import { createSite } from './site/site.ts'

export type { SessionStore, SiteOptions } from './site/settings.ts'

/** What is used of `@sveltejs/kit`, handed over by the app, so that both mean the same classes. */
export interface KitParts {
  error(status: number, message: string): never
  redirect(status: 303, location: string): never
}

interface Event {
  readonly request: Request
  readonly url: URL
  readonly isDataRequest: boolean
}

interface HandleInput<Given extends Event> {
  readonly event: Given
  readonly resolve: (event: Given) => Response | Promise<Response>
}

const adapter = createAdapter<Request>('The handle of createRolecall(), in hooks.server,')
/** Responses that `handle` sends in place of SvelteKit's error response. */
const refusals = new WeakMap<Request, Response>()

/**
 * The whole login for SvelteKit.
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

    /** Answers the routes of the login, and keeps sessions going. `hooks.server.ts` exports it, alone or in `sequence()`. */
    async handle<Given extends Event>({ event, resolve }: HandleInput<Given>): Promise<Response> {
      // The address as the app sees it: that of data requests has a suffix.
      const { pathname, search } = event.url
      const opened = await site().open({ ...incomingOf(event.request), path: pathname + search })
      const answer = adapter.enter(event.request, opened)
      if (answer) return answer
      const made = await resolve(event)
      return site().finished(opened.visit, refusals.get(event.request) ?? made)
    },

    /** Who is logged in; undefined when nobody is. Rejects when nobody can tell. */
    currentSession: (event: Pick<Event, 'request'>): Promise<Session | undefined> =>
      adapter.currentSession(event.request),

    /**
     * For `load`, actions and endpoints: whoever has the roles, and a live session. Others see the login, or the error
     * page; programs get 401, 403 or 503 as problem JSON.
     */
    async requireMember(event: Event, rules?: MemberRules): Promise<Session> {
      const decision = await adapter.visitOf(event.request).decide(rules)
      if ('session' in decision) return decision.session
      const { refusal } = decision
      const { appUrl, authPath } = site().settings
      const login = `${appUrl}${authPath}/login?${new URLSearchParams({ return_to: event.url.pathname + event.url.search })}`
      const isPage = event.isDataRequest || isNavigation(adapter.visitOf(event.request).request)
      if (isPage && [302, 401].includes(refusal.status)) return redirect(303, login)
      if (!isPage) refusals.set(event.request, refusal)
      return error(refusal.status, titleFor(refusal.status))
    },

    /** Ends the session, before the answer is sent. For actions. */
    signOut: (event: Pick<Event, 'request'>): Promise<void> => adapter.signOut(event.request),
  }
}

const titleFor = (status: number) =>
  status === 503 ? 'Who you are cannot be checked right now.' : 'This takes a role that you do not hold.'
