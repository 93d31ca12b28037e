import { type AnswerPage, type Chapter, describeContract, type EndpointPage } from './describe-endpoint.ts'
import type { Field } from './fields.ts'
import { type Html, html, prose } from './html.ts'
import { layout } from './layout.ts'

/** Builds the API reference: one page with all endpoints, so that the search of the browser finds everything. */
export function apiPage(publicUrl: string, version: string): string {
  const chapters = describeContract(publicUrl)
  return layout({
    title: 'API',
    navigation: html`${chapters.map(contents)}`,
    main: html`<h1>Rolecall</h1>
${welcome}
<h2 id="api">API</h2>
<p class="lead">Version ${version}, at <code>${publicUrl}</code>. Bodies are JSON, and unknown keys are
rejected. Every error is <code>application/problem+json</code> with a stable <code>code</code>:
<a href="/api/docs/errors">all codes</a>. Every response has <code>X-Request-Id</code>. To explore with your own
tool, load the <a href="/api/openapi.json">OpenAPI 3.1 document</a>.</p>
${index(chapters)}
${chapters.map(chapter)}`,
  })
}

const repository = 'https://github.com/rolecall/rolecall/blob/main'
const clients = [
  ['JavaScript', 'packages/sdk/README.md'],
  ['Python', 'clients/python/README.md'],
  ['PHP', 'docs/guides/php.md'],
  ['Go', 'docs/guides/go.md'],
  ['Java and Kotlin', 'docs/guides/java.md'],
  ['C#', 'docs/guides/csharp.md'],
  ['curl', 'docs/guides/curl.md'],
] as const

/** The introduction, for people who came here by accident: `/` redirects to this page if there is no console. */
const welcome = html`<p class="lead">This service signs the members of a community in to its sites. It stores no passwords:
members sign in with their Discord account.</p>
<ul class="ways">
<li><strong>Do you want to sign in?</strong> Open the site that you want to use, and sign in there.</li>
<li><strong>Are you building a site?</strong> Its backend uses the API below, or a client:
${clients.map(([name, path], i) => html`${i > 0 && ', '}<a href="${repository}/${path}">${name}</a>`)}.</li>
<li><strong>Are you an admin?</strong> Sign in to a shell with <code>rolecall login</code>: <a
href="${repository}/docs/guides/command-line.md">how it works</a>. A program of your own
<a href="#adminToken">exchanges a code</a> for an admin session.</li>
</ul>`

/** Builds the list of all endpoints, folded by chapter. It works without a script, by mouse and by keyboard. */
const index = (
  chapters: readonly Chapter[],
): Html => html`<section class="index" id="index" aria-label="All endpoints">
${chapters.map(
  ({
    tag,
    endpoints,
  }) => html`<details><summary>${tag} <span class="quiet">${endpoints.length}</span></summary>
<ul>${endpoints.map(
    ({ id, method, path, summary }) =>
      html`<li><a href="#${id}"><span class="method ${method.toLowerCase()}">${method}</span>${path}</a> <span class="quiet">${summary}</span></li>\n`,
  )}</ul></details>\n`,
)}</section>`

/** Returns the anchor of a chapter. The prefix keeps it apart from the IDs of operations: both have a `health`. */
const chapterId = (tag: string) => `chapter-${tag.toLowerCase().replace(/[^a-z]+/g, '-')}`

const contents = ({ tag, endpoints }: Chapter): Html => html`<li><a href="#${chapterId(tag)}">${tag}</a>
<ul>${endpoints.map(({ id, summary }) => html`<li><a href="#${id}">${summary}</a></li>\n`)}</ul></li>\n`

const chapter = ({ tag, endpoints }: Chapter): Html => html`<section class="chapter">
<h2 id="${chapterId(tag)}">${tag}</h2>
<p class="quiet"><a href="#index">All endpoints</a></p>
${endpoints.map(endpoint)}
</section>`

const endpoint = (one: EndpointPage): Html => html`<section class="endpoint" id="${one.id}">
<header>
<h3>${one.summary}</h3>
<a class="path" href="#${one.id}"><span class="method ${one.method.toLowerCase()}">${one.method}</span>${one.path}</a>
</header>
<div class="said">
${one.description !== undefined && html`<p>${prose(one.description)}</p>`}
<p><strong>Authorization:</strong> ${prose(one.auth)}</p>
${one.inputs.map(({ title, fields }) => html`<h4>${title}</h4>${fieldList(fields)}`)}
${one.answers.map(response)}
<h4>Errors</h4>
<ul class="refusals">
${one.refusals.map(
  ({ status, code, title }) =>
    html`<li><span class="status">${status}</span> <a href="/api/docs/errors#${code}"><code>${code}</code></a> ${title}</li>\n`,
)}</ul>
</div>
<div class="shown">
<h4>Request</h4>
<pre tabindex="0"><code>${one.request}</code></pre>
${one.answers.map(
  ({ status, example }) =>
    example !== undefined && html`<h4>Response ${status}</h4><pre tabindex="0"><code>${example}</code></pre>`,
)}
</div>
</section>
`

const response = ({ status, text, fields }: AnswerPage): Html =>
  html`<h4>Response ${status}</h4>${text !== '' && html`<p>${text}</p>`}${fields.length > 0 && fieldList(fields)}`

const fieldList = (fields: readonly Field[]): Html => html`<dl>
${fields.map(({ name, type, isRequired, meaning }) => {
  const depth = Math.min(3, name.split('.').length - 1)
  return html`<div class="field depth-${depth}"><dt><span class="name">${name}</span> <span class="type${!isRequired && ' optional'}">${type}</span></dt>${
    meaning !== '' && html`<dd class="meaning">${prose(meaning)}</dd>`
  }</div>\n`
})}</dl>`
