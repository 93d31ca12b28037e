import { personal } from './answers.ts'
import type { PageLanguage } from './languages/catalogs.ts'

/** The style of the page, for the light and the dark color scheme. */
const style =
  ':root{color-scheme:light dark}body{max-width:34rem;margin:15vh auto;padding:0 1.5rem;font:1rem/1.5 system-ui,sans-serif}' +
  ':lang(ko){word-break:keep-all}h1{font-size:1.25rem;overflow-wrap:anywhere}p{overflow-wrap:anywhere}' +
  'a{display:inline-block;padding:.5rem 1rem;border:1px solid;border-radius:.5rem;color:inherit;text-decoration:none}'
/** The hash with which the Content-Security-Policy allows `style`, and no other style. Update it if `style` changes. */
const styleHash = 'sha256-LkmBlhOWDIYRRMja4dhE+IDkxNUEvY8q8ILd5GKqd7g='

interface BuiltInPage {
  readonly status: number
  readonly language: PageLanguage
  readonly title: string
  readonly description: string
  /** The language of the description, if it differs from the language of the page. */
  readonly descriptionLanguage?: string | undefined
  readonly link: { readonly href: string; readonly text: string }
}

/** Returns the page that this library shows by default. Escapes all texts. */
export function renderPage({
  status,
  language,
  title,
  description,
  descriptionLanguage,
  link,
}: BuiltInPage): Response {
  const lang = descriptionLanguage === undefined ? '' : ` lang="${descriptionLanguage}"`
  const text = description === '' ? '' : `<p${lang}>${escapeHtml(description)}</p>`
  const html = `<!doctype html><html lang="${language}"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escapeHtml(title)}</title><style>${style}</style><main><h1>${escapeHtml(title)}</h1>${text}<p><a href="${escapeHtml(link.href)}">${escapeHtml(link.text)}</a></p></main></html>`
  const headers = {
    ...personal,
    'content-type': 'text/html; charset=utf-8',
    'content-language': language,
    vary: 'Accept-Language',
    'content-security-policy': `default-src 'none'; style-src '${styleHash}'; frame-ancestors 'none'; base-uri 'none'`,
  }
  return new Response(html, { status, headers })
}

const escapeHtml = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
