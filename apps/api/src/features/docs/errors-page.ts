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
<p class="lead">Every refusal is an RFC 9457 problem: <code>type</code>, <code>title</code>,
<code>status</code>, <code>detail</code>, <code>code</code>, <code>requestId</code>, and <code>errors</code>
where a request has several faults. <code>detail</code> ends with what to do about it. Codes are stable; switch on them, not on texts.</p>
${pages.map(error)}`,
  })
}

const error = ({ code, cases }: ErrorPage): Html => html`<section class="error" id="${code}">
<h2><code>${code}</code></h2>
${cases.map(
  ({ status, title, mend, endpoints: where }) => html`<div>
<p><strong>${status}</strong> ${title}</p>
<p>${prose(mend)}</p>
${answeredBy(where)}
</div>`,
)}
</section>
`

/** Folds longer lists: errors that nearly every endpoint returns are of little interest. */
const maxOpen = 6

function answeredBy(where: ErrorCase['endpoints']): Html {
  if (where.length === 0) return html`<p class="quiet">No endpoint of its own: any request may meet it.</p>`
  if (where.length === endpoints.length) return html`<p class="quiet">Every endpoint may answer it.</p>`
  const list = html`<ul class="where">${where.map(
    ({ id, name }) => html`<li><a href="/api/docs#${id}"><code>${name}</code></a></li>\n`,
  )}</ul>`
  if (where.length <= maxOpen) return list
  return html`<details><summary>Answered by ${where.length} endpoints</summary>${list}</details>`
}
