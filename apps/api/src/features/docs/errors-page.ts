import {
  type Accepted,
  describeErrors,
  type ErrorPage,
  type ErrorPlaces,
  exampleProblem,
  type Fix,
  type Guide,
  type ReturningEndpoint,
} from './describe-errors.ts'
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
the fix. An entry without <em>Retry</em> needs a corrected request.</p>
<pre class="wrap">${exampleProblem}</pre>
<p>Every error response of the API is an RFC 9457 problem like this one. <code>code</code> is stable: check it in your
program, not <code>title</code> or <code>detail</code>. <code>title</code> is the problem. <code>detail</code> says
what happened in this case, if known, and ends with the fix. For invalid fields, <code>errors</code> lists each of them.
Its <code>path</code> is a JSON Pointer into the body, or <code>/</code> and the name of a parameter or a header.
OpenID Connect endpoints return <code>error</code> and <code>error_description</code> instead.</p>
${pages.map(error)}`,
  })
}

const error = ({ code, cases }: ErrorPage): Html => html`<section class="error" id="${code}">
<h2><code>${code}</code></h2>
${cases.map(
  (one) => html`<div>
<p><strong>${one.status}</strong> ${prose(one.title)}</p>
${fixText(one.fix)}
${one.when !== undefined && html`<p><strong>When:</strong> ${prose(one.when)}</p>`}
${one.note !== undefined && html`<p><strong>Note:</strong> ${prose(one.note)}</p>`}
${one.accepted.length > 0 && acceptedBy(one.accepted)}
${one.retryAdvice !== undefined && html`<p><strong>Retry:</strong> ${prose(one.retryAdvice)}</p>`}
${one.guides.length > 0 && html`<p><strong>Guide:</strong> ${listed(one.guides.map(guideLink))}</p>`}
${one.see.length > 0 && html`<p><strong>See also:</strong> ${listed(one.see.map(codeLink))}</p>`}
${returnedBy(one.where)}
</div>`,
)}
</section>
`

function fixText({ lead, items, isOrdered }: Fix): Html {
  const entries = items.map((item) => html`<li>${prose(item)}</li>\n`)
  const list = isOrdered ? html`<ol class="items">${entries}</ol>` : html`<ul class="items">${entries}</ul>`
  return html`<p><strong>Fix:</strong> ${prose(lead)}</p>${items.length > 0 && list}`
}

const acceptedBy = (accepted: readonly Accepted[]) =>
  html`<p><strong>Accepted:</strong></p><ul class="items">${accepted.map(
    ({ value, by }) =>
      html`<li>${value}${by.length > 0 ? html`: ${listed(by.map(endpointLink))}` : ', unless listed below'}</li>\n`,
  )}</ul>`

/** Links to the documentation site, which the service contains. */
const guideLink = ({ title, path }: Guide) =>
  html`<a href="/docs/${path.replace('.md', '.html')}">${title}</a>`
const codeLink = (code: string) => html`<a href="#${code}"><code>${code}</code></a>`
const endpointLink = ({ id, name }: ReturningEndpoint) =>
  html`<a href="/api/docs#${id}"><code>${name}</code></a>`
const listed = (items: readonly Html[]) => items.map((item, index) => html`${index > 0 && ', '}${item}`)

/** The maximum length of a list of endpoints that is not folded. */
const maxOpen = 6

/** Says which endpoints return an error. */
function returnedBy({ all, except, others }: ErrorPlaces): Html {
  const list = html`<ul class="where">${others.map((one) => html`<li>${endpointLink(one)}</li>\n`)}</ul>`
  if (all === undefined)
    return others.length <= maxOpen
      ? html`<p class="quiet">Returned by:</p>${list}`
      : html`<details><summary>Returned by ${others.length} endpoints</summary>${list}</details>`
  return html`<p class="quiet">${prose(all)}${except.length > 0 && html` except ${listed(except.map(endpointLink))}`}
can return this error.${others.length > 0 && ' So can:'}</p>${others.length > 0 && list}`
}
