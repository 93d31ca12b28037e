import { endpoints } from '@rolecall/contract'
import { describeErrors, type ErrorCase, type ErrorPage } from './describe-errors.ts'
import { type Html, html, prose } from './html.ts'
import { layout } from './layout.ts'

/** Builds the page of error codes. The `type` of an error response links to it, with the code as the anchor. */
export function errorsPage(): string {
  const pages = describeErrors()
  return layout({
    title: 'Error codes',
    navigation: html`<li class="wide">Codes<ul>${pages.map(
      ({ code }) => html`<li><a href="#${code}"><code>${code}</code></a></li>\n`,
    )}</ul></li>`,
    main: html`<h1>Error codes</h1>
<p class="lead">Find the <code>code</code> of your response in this list. Each entry has the status, the problem, and
the fix.</p>
<p>Every error response of the API is an RFC 9457 problem. It has <code>type</code>, <code>title</code> (the problem),
<code>status</code>, <code>detail</code>, <code>code</code>, and <code>requestId</code>. For invalid fields,
<code>errors</code> lists each of them. <code>detail</code> ends with the fix. Codes are stable: check
<code>code</code>, not the text. OpenID Connect endpoints return <code>error</code> and <code>error_description</code>
instead.</p>
${pages.map(error)}`,
  })
}

const error = ({ code, cases }: ErrorPage): Html => html`<section class="error" id="${code}">
<h2><code>${code}</code></h2>
${cases.map(
  (one) => html`<div>
<p><strong>${one.status}</strong> ${one.title}</p>
<p><strong>Fix:</strong> ${prose(one.mend)}</p>
${returnedBy(one)}
</div>`,
)}
</section>
`

/** The maximum length of a list of endpoints that is not folded. */
const maxOpen = 6

/** Says which endpoints return an error. */
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
