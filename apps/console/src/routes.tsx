import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router'
import type { ComponentType } from 'react'
import { Skeleton } from './components/states.tsx'
import { PageFailed } from './shell/page-failed.tsx'
import { fileOf } from './shell/page-file.tsx'
import { PageNotFound } from './shell/page-not-found.tsx'
import { Shell } from './shell/shell.tsx'

interface Context {
  /** The error of a login that was refused when it returned to the console. */
  readonly loginFailure: unknown
}

const root = createRootRouteWithContext<Context>()({
  component: Shell,
  notFoundComponent: PageNotFound,
  // Keeps the query of an address as text. Pages read it with `useFilters`.
  validateSearch: (search: Record<string, unknown>): Record<string, string> =>
    Object.fromEntries(Object.entries(search).map(([key, value]) => [key, String(value)])),
})

type Module = () => Promise<{ Page: ComponentType }>

/** Returns the route of a page: its address, and the file that is loaded when it opens. */
const page = <const Path extends string>(path: Path, load: Module) =>
  createRoute({ getParentRoute: () => root, path, component: lazyRouteComponent(fileOf(load), 'Page') })

const start = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: ({ search }) => {
    // The start page stays open after a logout, because it confirms the logout.
    if (!('logged_out' in search)) throw redirect({ to: '/overview', replace: true })
  },
})

/** Every page, one per line. */
const pages = [
  page('/overview', () => import('./features/overview/overview-page.tsx')),
  page('/projects', () => import('./features/projects/list-page.tsx')),
  page('/projects/new', () => import('./features/projects/create-page.tsx')),
  page('/projects/$id', () => import('./features/projects/overview-tab.tsx')),
  page('/projects/$id/keys', () => import('./features/projects/keys-tab.tsx')),
  page('/projects/$id/redirects', () => import('./features/projects/redirects-tab.tsx')),
  page('/projects/$id/sign-in', () => import('./features/projects/sign-in-tab.tsx')),
  page('/projects/$id/proxy', () => import('./features/projects/proxy-tab.tsx')),
  page('/projects/$id/webhooks', () => import('./features/projects/webhooks-tab.tsx')),
  page('/projects/$id/webhooks/$webhookId', () => import('./features/projects/webhook-page.tsx')),
  page('/projects/$id/events', () => import('./features/projects/events-tab.tsx')),
  page('/projects/$id/sessions', () => import('./features/projects/sessions-tab.tsx')),
  page('/projects/$id/audit', () => import('./features/projects/audit-tab.tsx')),
  page('/projects/$id/settings', () => import('./features/projects/settings-tab.tsx')),
  page('/members', () => import('./features/members/list-page.tsx')),
  page('/members/$id', () => import('./features/members/overview-tab.tsx')),
  page('/members/$id/sessions', () => import('./features/members/sessions-tab.tsx')),
  page('/members/$id/why', () => import('./features/members/why-tab.tsx')),
  page('/members/$id/activity', () => import('./features/members/activity-tab.tsx')),
  page('/members/$id/data', () => import('./features/members/data-tab.tsx')),
  page('/servers', () => import('./features/servers/list-page.tsx')),
  page('/servers/$id', () => import('./features/servers/server-page.tsx')),
  page('/webhooks', () => import('./features/webhooks/list-page.tsx')),
  page('/access', () => import('./features/access/matrix-page.tsx')),
  page('/audit', () => import('./features/audit/log-page.tsx')),
  page('/monitoring', () => import('./features/monitoring/monitoring-page.tsx')),
  page('/settings', () => import('./features/settings/settings-page.tsx')),
  page('/about', () => import('./features/about/about-page.tsx')),
  page('/profile', () => import('./features/profile/profile-page.tsx')),
] as const

/** Creates the router of the console. */
export function createConsole(loginFailure: unknown) {
  return createRouter({
    routeTree: root.addChildren([start, ...pages]),
    basepath: '/console',
    context: { loginFailure },
    defaultPreload: 'intent',
    defaultPreloadStaleTime: 0,
    defaultPendingMs: 150,
    defaultPendingMinMs: 0,
    defaultPendingComponent: () => (
      <div className="page">
        <Skeleton />
      </div>
    ),
    defaultErrorComponent: PageFailed,
    scrollRestoration: true,
    // Writes plain text instead of JSON. So addresses stay readable, and a login can return to them.
    parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
    stringifySearch: (search) => {
      const fields = new URLSearchParams()
      for (const [key, value] of Object.entries(search)) {
        if (value !== undefined && value !== '') fields.set(key, String(value))
      }
      const text = fields.toString()
      return text && `?${text}`
    },
  })
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createConsole>
  }
}
