import { expect, test } from 'vitest'
import * as forNext from './next.ts'
import { catalogs } from './site/languages/catalogs.ts'
import type { PageDetails } from './site/page-details.ts'
import { createSealer } from './site/seal.ts'
import type { SiteOptions } from './site/settings.ts'
import * as forSvelteKit from './sveltekit.ts'

// The frameworks that cannot set the status of a page, or show a page of their own for an error. The other adapters
// pass test/adapter-table.ts.

const appUrl = 'http://127.0.0.1:8080'
const secret = 'the secret of this site, long enough'
const clientId = 'own-pages'

/** Options of a site with a session that the service does not check, and the details that its pages received. */
function givenOptions(makePage?: (details: PageDetails) => string | Response) {
  const shown: PageDetails[] = []
  const failed = (details: PageDetails) => {
    shown.push(details)
    return makePage?.(details) ?? ''
  }
  const options: SiteOptions = {
    ...{
      url: 'http://127.0.0.1:1',
      apiKey: 'rck_own',
      clientId,
      serverId: '1',
      appUrl,
      secret,
      cache: false,
    },
    fetch: async () => Response.json({ code: 'INVALID_API_KEY', detail: '' }, { status: 401 }),
    onError: () => {},
    ...(makePage && { pages: { failed } }),
  }
  Reflect.deleteProperty(globalThis, Symbol.for('rolecall 1'))
  return { options, shown }
}

async function givenHeaders() {
  const now = Math.floor(Date.now() / 1_000)
  const pair = JSON.stringify([`rcs_${'a'.repeat(49)}`, `rcr_${'a'.repeat(49)}`, now, now + 3_600])
  const name = `rolecall_${clientId}`
  const cookie = `${name}=${await createSealer([secret]).seal(name, pair)}`
  return { cookie, accept: 'text/html', 'accept-language': 'de' }
}

class KitError extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** Loads a page as SvelteKit does: its own page shows an error. */
async function loadInSvelteKit(options: SiteOptions): Promise<{ status: number; text: string }> {
  const parts = {
    error: (status: number, message: string): never => {
      throw new KitError(status, message)
    },
    redirect: (status: number, location: string): never => {
      throw new Error(`${status} ${location}`)
    },
  }
  const rolecall = forSvelteKit.createRolecall(parts, options)
  const request = new Request(`${appUrl}/crew`, { headers: await givenHeaders() })
  const event = { request, url: new URL(request.url), isDataRequest: false }
  const resolve = () =>
    rolecall.requireMember(event).then(
      () => new Response('crew'),
      (error: KitError) => new Response(`+error: ${error.message}`, { status: error.status }),
    )
  const response = await rolecall.handle({ event, resolve })
  return { status: response.status, text: await response.text() }
}

test('SvelteKit shows a page of the app, also as a redirect, or its own with the text for the visitor', async () => {
  const own = givenOptions(({ code }) => `own: ${code}`)
  expect(await loadInSvelteKit(own.options)).toEqual({ status: 503, text: 'own: SESSION_CHECK_UNAVAILABLE' })
  const away = givenOptions(() => Response.redirect(`${appUrl}/away`))
  expect(await loadInSvelteKit(away.options)).toEqual({ status: 302, text: '' })
  const text = `+error: ${catalogs.de.SESSION_CHECK_UNAVAILABLE}`
  expect(await loadInSvelteKit(givenOptions().options)).toEqual({ status: 503, text })
})

test('Next.js calls the function of the app once, at the address that it redirects to', async () => {
  const { options, shown } = givenOptions(({ code }) => `own: ${code}`)
  const headers = new Headers(await givenHeaders())
  const parts = {
    cookies: async () => ({ set: () => {}, get: () => undefined }),
    headers: async () => headers,
    redirect: (url: string): never => {
      throw new Error(url)
    },
    NextResponse: {
      next: (): never => {
        throw new Error('no proxy runs here')
      },
    },
  }
  const rolecall = forNext.createRolecall(parts, options)
  await expect(rolecall.requireMember()).rejects.toThrow(`${appUrl}/auth/unavailable`)
  expect(shown).toEqual([])
  const page = await rolecall.handlers.GET(new Request(`${appUrl}/auth/unavailable`, { headers }))
  expect([page.status, await page.text()]).toEqual([503, 'own: SESSION_CHECK_UNAVAILABLE'])
  expect(shown.map(({ language }) => language)).toEqual(['de'])
})
