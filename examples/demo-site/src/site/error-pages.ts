import { RolecallError } from '@rolecall/sdk'
import { html } from './html.ts'
import type { Reply } from './http.ts'
import { page } from './page.ts'

type Fact = readonly [name: string, value: string | undefined]

/** Returns a page that says what happened, what that means, and how to continue. */
export const problemPage = (
  status: number,
  title: string,
  text: string,
  facts: readonly Fact[] = [],
): Extract<Reply, { page: unknown }> => ({
  status,
  page: page({
    title,
    main: html`<main class="card narrow">
<p class="status">${status}</p>
<h1>${title}</h1>
<p>${text}</p>
${
  facts.length > 0 &&
  html`<dl class="facts">${facts.map(([name, value]) => value && html`<div><dt>${name}</dt><dd><code>${value}</code></dd></div>`)}</dl>`
}
<p class="buttons"><a class="button primary" href="/login">Sign in</a> <a class="button" href="/">Start page</a></p>
</main>`,
  }),
})

/**
 * Returns the page for a failed call. It tells a refusal, which the visitor caused, from an outage, which will pass.
 */
export function errorPage(error: unknown): Reply {
  if (!(error instanceof RolecallError)) {
    console.error(error)
    return problemPage(500, 'Something went wrong on this site', 'The terminal of the site shows the reason.')
  }
  const { code, status, detail, requestId } = error
  const isOurs = status !== undefined && status < 500
  return problemPage(
    isOurs ? status : 503,
    isOurs ? 'Rolecall rejected the request' : 'Rolecall does not respond right now',
    detail,
    [
      ['code', code],
      ['request', requestId],
    ],
  )
}
