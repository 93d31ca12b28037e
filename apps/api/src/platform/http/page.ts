import { createHash } from 'node:crypto'
import { languages } from '@rolecall/contract'
import { languageNames } from '#languages/language'
import { accentStyle, brandHeader, brandIcon, brandSources, brandStyles } from './brand.ts'
import { escapeHtml } from './escape-html.ts'
import type { Reader } from './reader.ts'

/**
 * The style of all pages. It is a constant, so that each page's Content Security Policy can permit it by its digest.
 */
const style = `
:root { color-scheme: light dark; --text: #1c2430; --quiet: #5a6675; --ground: #fff; --line: #dde2e9; --link: #0b57b7 }
@media (prefers-color-scheme: dark) {
  :root { --text: #e4e9f0; --quiet: #9aa7b8; --ground: #12171f; --line: #2c3644; --link: #7db5ff }
}
html { -webkit-text-size-adjust: 100% }
body { margin: 0; background: var(--ground); color: var(--text); font: 1rem/1.6 system-ui, sans-serif }
main { max-width: 34rem; margin: 0 auto; padding: min(18vh, 9rem) 1.25rem 0 }
:lang(ko) { word-break: keep-all }
h1 { font-size: 1.5rem; line-height: 1.3; margin: 0 0 1rem; text-wrap: balance }
p { margin: 0 0 .9rem; overflow-wrap: anywhere }
a { color: var(--link); text-underline-offset: .15em }
form { margin: 1.5rem 0 0 }
label { display: block; margin: 0 0 .9rem }
input { display: block; box-sizing: border-box; width: 100%; max-width: 20rem; margin-top: .25rem; padding: .6rem .75rem; border: 1px solid var(--line); border-radius: .4rem; background: var(--ground); color: var(--text); font: inherit; letter-spacing: .08em }
button { margin: 0 .6rem .6rem 0; padding: .6rem 1.1rem; border: 1px solid var(--line); border-radius: .4rem; background: var(--ground); color: var(--text); font: inherit; cursor: pointer }
button.small { margin: 0; padding: .25rem .75rem; font-size: .9rem }
h2 { font-size: 1.1rem; line-height: 1.3; margin: 2.25rem 0 .75rem }
.entry { display: flex; flex-wrap: wrap; gap: .75rem 1rem; align-items: start; justify-content: space-between; padding: .75rem 0; border-top: 1px solid var(--line) }
.entry > div { flex: 1 1 14rem; min-width: 0 }
.entry form { margin: 0; flex: none }
.entry p { margin: 0 }
.entry h3 { font-size: 1rem; font-weight: 600; margin: 0; overflow-wrap: anywhere }
.quiet { color: var(--quiet); font-size: .9rem }
.code { font: 600 1.6rem/1.4 ui-monospace, monospace; letter-spacing: .08em; user-select: all }
li { margin: 0 0 .4rem; overflow-wrap: anywhere }
a:focus-visible, button:focus-visible, input:focus-visible { outline: 2px solid var(--link); outline-offset: 3px; border-radius: 2px }
footer { max-width: 34rem; margin: 2.5rem auto 0; padding: 0 1.25rem 2rem; color: var(--quiet); font-size: .8rem }
footer > :first-child { border-top: 1px solid var(--line); padding-top: 1rem }
footer p { margin: 0 0 .25rem }
footer ul { display: flex; flex-wrap: wrap; gap: 0 1rem; margin: 0; padding: .5rem 0 0; list-style: none }
footer li { margin: 0 }
footer li a { display: inline-block; padding: .3rem 0 }
footer [aria-current] { color: var(--text); text-decoration: none }
${brandStyles}`

const styleDigest = createHash('sha256').update(style).digest('base64')

/** A form on a page. */
export interface PageForm {
  readonly action: string
  /** The hidden fields, by name. */
  readonly hidden: Readonly<Record<string, string>>
  readonly input?: { readonly name: string; readonly label: string; readonly value: string }
  /** The buttons. Put first the one that most people choose, because it is highlighted. */
  readonly buttons: readonly { readonly name: string; readonly value: string; readonly text: string }[]
}

/** An entry of a list, with an optional action. */
export interface PageEntry {
  readonly title: string
  readonly lines: readonly string[]
  readonly action?: {
    readonly href: string
    readonly text: string
    /** The object of the action, for screen readers. */
    readonly about: string
  }
}

/** A section of a page with several topics. */
export interface PageSection {
  readonly heading: string
  readonly paragraphs: readonly string[]
  readonly entries?: readonly PageEntry[]
  readonly form?: PageForm
  readonly link?: PageLink
}

interface PageLink {
  readonly href: string
  readonly text: string
}

/** The content of a page. All texts are escaped, so they may contain input. */
interface PageContent {
  readonly title: string
  readonly paragraphs: readonly string[]
  /** A text to compare letter by letter, or to copy. One click selects all of it. */
  readonly code?: string
  readonly list?: readonly string[]
  readonly form?: PageForm
  readonly sections?: readonly PageSection[]
  /** A link to the next step. The caller must have checked its address. */
  readonly link?: PageLink | undefined
  /** Remarks in small print, in the footer. */
  readonly notes?: readonly string[]
  /** Details for the operator or owner of the site, in English: an error code and its meaning. */
  readonly technical?: string
  /** The ID of the request, with which an operator finds it in the log. */
  readonly requestId?: string
}

/** A rendered page: its HTML and its headers. */
export interface RenderedPage {
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
}

const paragraph = (text: string) => `<p>${escapeHtml(text)}</p>`

const quoted = (text: string) => `"${escapeHtml(text)}"`

const formOf = ({
  action,
  hidden,
  input,
  buttons,
}: PageForm) => `<form method="post" action=${quoted(action)}>
${Object.entries(hidden)
  .map(([name, value]) => `<input type="hidden" name=${quoted(name)} value=${quoted(value)}>`)
  .join('\n')}
${input ? `<label>${escapeHtml(input.label)}<input name=${quoted(input.name)} value=${quoted(input.value)} required autofocus autocomplete="off" autocapitalize="characters" spellcheck="false"></label>\n` : ''}${buttons
  .map(
    ({ name, value, text }, i) =>
      `<button${i === 0 ? ' class="main"' : ''} name=${quoted(name)} value=${quoted(value)}>${escapeHtml(text)}</button>`,
  )
  .join('\n')}
</form>
`

const listOf = (items: readonly string[]) =>
  items.length > 0 ? `<ul>${items.map((item) => `<li>${escapeHtml(item)}</li>`).join('')}</ul>\n` : ''

const linkOf = (link: PageLink | undefined) =>
  link ? `<p><a href=${quoted(link.href)}>${escapeHtml(link.text)}</a></p>\n` : ''

const entryOf = ({ title, lines, action }: PageEntry) => `<div class="entry"><div>
<h3>${escapeHtml(title)}</h3>
${lines.map((line) => `<p class="quiet">${escapeHtml(line)}</p>`).join('\n')}
</div>${
  action
    ? `<form method="post" action=${quoted(action.href)}><button class="small" aria-label=${quoted(`${action.text}: ${action.about}`)}>${escapeHtml(action.text)}</button></form>`
    : ''
}</div>
`

const sectionOf = ({ heading, paragraphs, entries = [], form, link }: PageSection) => `<section>
<h2>${escapeHtml(heading)}</h2>
${paragraphs.map(paragraph).join('\n')}
${entries.map(entryOf).join('')}${form ? formOf(form) : ''}${linkOf(link)}</section>
`

/**
 * Lists the languages, each by its own name. Uses links: the Content Security Policy would stop a form that redirects
 * to another site.
 */
function languagesOf({ language, say, path }: Reader): string {
  if (path === undefined) return ''
  const items = languages.map((one) => {
    const query = new URLSearchParams({ language: one, return_to: path })
    const current = one === language ? ' aria-current="true"' : ''
    return `<li><a href=${quoted(`/account/language?${query}`)} lang="${one}" hreflang="${one}" rel="nofollow"${current}>${languageNames[one]}</a></li>`
  })
  return `<nav aria-label=${quoted(say('language'))}><ul>${items.join('')}</ul></nav>\n`
}

function footerOf(reader: Reader, { notes = [], technical, requestId }: PageContent): string {
  const { say } = reader
  const forOwners =
    technical === undefined
      ? ''
      : `<p>${escapeHtml(say('forOwners'))} <span lang="en">${escapeHtml(technical)}</span></p>\n`
  const request = requestId === undefined ? '' : `${paragraph(say('request', { id: requestId }))}\n`
  const lines = notes.map((note) => `${paragraph(note)}\n`).join('')
  return `<footer>\n${lines}${forOwners}${request}${languagesOf(reader)}<p>Rolecall</p>\n</footer>\n`
}

/**
 * Renders a plain page in the language of its reader. The page loads no scripts and no style but its own, and cannot be
 * framed.
 */
export function renderPage(
  reader: Reader,
  content: PageContent,
  /** The addresses that the form may be sent to and redirected to. The browser blocks all others. */
  formTargets: readonly string[] = [],
): RenderedPage {
  const { title, paragraphs, code, list = [], form, sections = [], link } = content
  const { brand } = reader
  const accent = brand && accentStyle(brand)
  const body = `<!doctype html>
<html lang="${reader.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
${brand ? brandIcon(brand) : ''}<style>${style}</style>${accent === undefined ? '' : `<style>${accent}</style>`}
</head>
<body>
${brand ? brandHeader(brand) : ''}<main>
<h1>${escapeHtml(title)}</h1>
${paragraphs.map(paragraph).join('\n')}
${code === undefined ? '' : `<p class="code">${escapeHtml(code)}</p>\n`}${listOf(list)}${form ? formOf(form) : ''}${sections.map(sectionOf).join('')}${linkOf(link)}</main>
${footerOf(reader, content)}</body>
</html>
`
  return { body, headers: headersOf(reader, formTargets) }
}

const headersOf = ({ language, brand }: Reader, formTargets: readonly string[]) => ({
  'content-type': 'text/html; charset=utf-8',
  'content-language': language,
  vary: 'Accept-Language',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${styleDigest}'${brandSources(brand)}; base-uri 'none'; form-action ${formTargets.join(' ') || "'none'"}; frame-ancestors 'none'`,
  'cross-origin-opener-policy': 'same-origin',
})
