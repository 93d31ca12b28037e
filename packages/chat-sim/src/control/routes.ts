import { form, param, type Reply, redirect } from '../http/call.ts'
import { notFound } from '../http/platform-error.ts'
import type { Route } from '../http/route.ts'
import { refuseCrossSite, refuseForeignHost } from '../http/same-origin.ts'
import { asset } from '../pages/assets.ts'
import { type Html, html } from '../pages/html.ts'
import { page } from '../pages/page.ts'
import { actions, type Desk } from './actions.ts'
import { livePanel } from './live-panel.ts'
import { memberPanel } from './member-panel.ts'
import { peoplePanel } from './people-panel.ts'
import { script } from './script.ts'
import { serverPanel, serverTabs } from './server-panel.ts'
import { troublePanel } from './trouble-panel.ts'
import { readView, type View, viewUrl } from './view.ts'

const common = { name: 'control', at: 'root', auth: 'none' } as const

/** Creates the page on which people change the simulated platform by hand. It is not part of the platform. */
export function controlRoutes(desk: Desk): Route[] {
  /**
   * The result of the last action. The page shows it once. One variable is enough, because the page has one visitor.
   */
  let said: Html | undefined

  const show: Route = {
    ...common,
    method: 'GET',
    path: '/control',
    handle({ world, options }, call) {
      refuseForeignHost(call, options.issuer)
      const reply = controlPage(desk, readView(world, call.query), said)
      said = undefined
      return reply
    },
  }

  /** Redirects from `/` to the control page, which is the only page for a person. */
  const start: Route = { ...common, method: 'GET', path: '/', handle: () => redirect('/control', 302) }

  const act: Route = {
    ...common,
    method: 'POST',
    path: '/control/:action',
    async handle({ world, options }, call) {
      refuseForeignHost(call, options.issuer)
      refuseCrossSite(call)
      const body = form(call)
      const view = readView(world, body)
      const action = actions[param(call, 'action')]
      if (!action) throw notFound()
      try {
        const sentence = await action({ desk, view, field: (name) => (body.get(name) ?? '').trim() })
        said = html`<p class="said" role="status">${sentence}</p>`
      } catch (error) {
        said = html`<p class="said wrong" role="alert">${error instanceof Error ? error.message : 'The action failed.'}</p>`
      }
      return redirect(viewUrl(view), 303)
    },
  }

  return [start, show, act, asset('/assets/control.js', 'text/javascript; charset=utf-8', script)]
}

const controlPage = ({ platform, gateway }: Desk, view: View, said: Html | undefined): Reply =>
  page({
    title: 'Control',
    script: '/assets/control.js',
    main: html`<main class="control" id="control">
<header><h1>Control room</h1><p class="quiet">Change the simulated Discord, and watch how the service reacts.</p>
${serverTabs(platform.world, view)}</header>
<div id="said" class="saying">${said}</div>
<div class="columns">
<div>${peoplePanel(platform.world, view)}</div>
<div>${memberPanel(view)}${livePanel(platform, gateway)}</div>
<div>${troublePanel(platform.world, view)}${serverPanel(platform.world, view)}</div>
</div>
</main>`,
  })
