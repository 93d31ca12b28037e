import { endpoints } from '@rolecall/contract'
import { describeErrors, type ErrorCase, type ErrorPage } from './describe-errors.ts'
import { type Html, html, prose } from './html.ts'
import { layout } from './layout.ts'

/** Builds the page that the `type` of every error links to; the code is the anchor. */
export function errorsPage(): string {
  const pages = describeErrors()
  return layout({
    title: 'Error codes',
    navigation: html`<li class="wide">Codes<ul>${pages.map(
      ({ code }) => html`<li><a href="#${code}"><code>${code}</code></a></li>\n`,
    )}</ul></li>`,
    main: html`<h1>Error codes</h1>
<p class="lead">Every error response is an RFC 9457 problem. It has <code>type</code>, <code>title</code>,
<code>status</code>, <code>detail</code>, <code>code</code>, and <code>requestId</code>. If a request has several errors,
<code>errors</code> lists each of them. <code>detail</code> ends with the fix. Codes are stable: check
<code>code</code>, not the text.</p>
${pages.map(error)}`,
  })
}

const error = ({ code, cases }: ErrorPage): Html => html`<section class="error" id="${code}">
<h2><code>${code}</code></h2>
${cases.map(
  (one) => html`<div>
<p><strong>${one.status}</strong> ${one.title}</p>
<p>${prose(one.mend)}</p>
${returnedBy(one)}
</div>`,
)}
</section>
`

/** Folds longer lists: errors that nearly every endpoint returns are of little interest. */
const maxOpen = 6

function returnedBy({ onlyOf, endpoints: where }: ErrorCase): Html {
  if (onlyOf !== undefined) return html`<p class="quiet">Returned by <code>${onlyOf}</code>.</p>`
  if (where.length === 0) return html`<p class="quiet">Any request can return this error.</p>`
  if (where.length === endpoints.length)
    return html`<p class="quiet">Every endpoint can return this error.</p>`
  const list = html`<ul class="where">${where.map(
    ({ id, name }) => html`<li><a href="/api/docs#${id}"><code>${name}</code></a></li>\n`,
  )}</ul>`
  if (where.length <= maxOpen) return list
  return html`<details><summary>Returned by ${where.length} endpoints</summary>${list}</details>`
}
