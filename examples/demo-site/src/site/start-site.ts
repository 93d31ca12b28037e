import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { Rolecall } from '@rolecall/sdk'
import { createActions } from './actions.ts'
import { errorPage, problemPage } from './error-pages.ts'
import { isOwnForm, type Reply, send } from './http.ts'
import { createLogin, type LoginTerms } from './login.ts'
import { createMemberPages } from './member-pages.ts'
import { createVisitors } from './visitors.ts'

/** The options of the demo site. */
export interface SiteOptions {
  /** The address of this site in browsers. Cookies and redirects work only at this address. */
  readonly url: string
  readonly port: number
  readonly rolecallUrl: string
  readonly apiKey: string
  readonly login: LoginTerms
  /** The address of the page on which the reader can give and take roles. */
  readonly controlUrl: string
  /** The address of pictures as the service returns it, and the one from which to load them instead. */
  readonly pictures: { readonly from: string; readonly to: string }
}

type Handler = (request: IncomingMessage, url: URL) => Promise<Reply> | Reply

const asset = (name: string) => readFileSync(new URL(`../../assets/${name}`, import.meta.url))

/** Starts a site with sign-in by Rolecall. `routes` lists everything that it serves. */
export async function startSite(options: SiteOptions): Promise<{ close(): Promise<void> }> {
  const rolecall = new Rolecall({ baseUrl: options.rolecallUrl, apiKey: options.apiKey })
  const visitors = createVisitors()
  const login = createLogin({ ...options, rolecall, visitors })
  const pages = createMemberPages({ ...options, rolecall, visitors })
  const actions = createActions({ ...options, visitors })

  const routes: Record<string, Handler> = {
    'GET /': pages.home,
    'GET /live': pages.live,
    'GET /login': login.start,
    'GET /callback': login.callback,
    'POST /validate': actions.validate,
    'POST /refresh': actions.refresh,
    'POST /sessions': actions.sessions,
    'POST /revoke': actions.revoke,
    'POST /logout': actions.logout,
    'POST /logout-all': actions.logoutAll,
  }
  const assets = new Map([
    ['/site.css', { type: 'text/css; charset=utf-8', body: asset('site.css') }],
    ['/live.js', { type: 'text/javascript; charset=utf-8', body: asset('live.js') }],
    ['/icon.svg', { type: 'image/svg+xml', body: asset('icon.svg') }],
  ])
  const host = new URL(options.url).host
  const pictures = new URL(options.pictures.to).origin

  async function reply(request: IncomingMessage, url: URL): Promise<Reply> {
    // Redirects from other host names. A cookie that is set at `localhost` would be missing when the sign-in returns to
    // `127.0.0.1`.
    if (request.headers.host !== host && request.method === 'GET') return { redirect: options.url }
    const handler = routes[`${request.method} ${url.pathname}`]
    if (!handler) return problemPage(404, 'There is nothing here', 'This site has only one page.')
    if (request.method === 'POST' && !isOwnForm(request, options.url)) {
      return problemPage(403, 'This request is not from this site', 'Another site sent it.')
    }
    return handler(request, url)
  }

  const server = createServer(async (request: IncomingMessage, response: ServerResponse) => {
    const url = addressOf(request, options.url)
    const file = assets.get(url?.pathname ?? '')
    if (file) return void response.writeHead(200, { 'content-type': file.type }).end(file.body)
    const answer = url
      ? await reply(request, url).catch(errorPage)
      : problemPage(400, 'This address is not valid', 'Go to the start page and try again.')
    send(response, answer, pictures)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port, '127.0.0.1', resolve)
  })
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function addressOf(request: IncomingMessage, base: string): URL | undefined {
  try {
    return new URL(request.url ?? '', base)
  } catch {
    return undefined
  }
}
