import { createHash } from 'node:crypto'

/** Escapes text for HTML, inside elements and quoted attributes. */
export const escapeHtml = (text: string) =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

/** One string, so that its digest can stand in the policy of the page. */
const style = `
:root { color-scheme: light dark; --text: #1c2430; --quiet: #5a6675; --ground: #fff; --line: #dde2e9; --link: #0b57b7 }
@media (prefers-color-scheme: dark) {
  :root { --text: #e4e9f0; --quiet: #9aa7b8; --ground: #12171f; --line: #2c3644; --link: #7db5ff }
}
html { -webkit-text-size-adjust: 100% }
body { margin: 0; background: var(--ground); color: var(--text); font: 1rem/1.6 system-ui, sans-serif }
main { max-width: 34rem; margin: 0 auto; padding: min(18vh, 9rem) 1.25rem 2rem }
h1 { font-size: 1.5rem; line-height: 1.3; margin: 0 0 1rem; text-wrap: balance }
p { margin: 0 0 .9rem; overflow-wrap: anywhere }
a { color: var(--link); text-underline-offset: .15em }
a:focus-visible { outline: 2px solid var(--link); outline-offset: 3px; border-radius: 2px }
footer { margin-top: 2.5rem; padding-top: 1rem; border-top: 1px solid var(--line); color: var(--quiet); font-size: .8rem }
footer p { margin: 0 0 .25rem }
`

const styleDigest = createHash('sha256').update(style).digest('base64')

/** Nothing but our own style may load, by its digest, and nobody may frame the page. */
export const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${styleDigest}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'cross-origin-opener-policy': 'same-origin',
}

interface PageContent {
  readonly title: string
  readonly paragraphs: readonly string[]
  /** The way out; its address was checked. */
  readonly link: { readonly href: string; readonly text: string } | undefined
  /** Small print. */
  readonly notes: readonly string[]
}

const paragraph = (text: string) => `<p>${escapeHtml(text)}</p>`

/** A plain, readable page for a browser that cannot go on. */
export const page = ({ title, paragraphs, link, notes }: PageContent) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
</head>
<body><main>
<h1>${escapeHtml(title)}</h1>
${paragraphs.map(paragraph).join('\n')}
${link ? `<p><a href="${escapeHtml(link.href)}">${escapeHtml(link.text)}</a></p>\n` : ''}<footer>
${notes.map(paragraph).join('\n')}
</footer>
</main></body>
</html>
`
