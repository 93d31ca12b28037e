import { createHash } from 'node:crypto'
import { textColorOn } from '@rolecall/contract'
import { escapeHtml } from './escape-html.ts'

/** The community and the site that a page belongs to. */
export interface Brand {
  readonly server?: Part | undefined
  readonly site?: Part | undefined
  /** `#rrggbb`; null for the default color. */
  readonly accentColor: string | null
}

interface Part {
  readonly name: string
  /** An address of the service. */
  readonly image?: string | undefined
}

const quoted = (text: string) => `"${escapeHtml(text)}"`
const imageOf = (image: string | undefined) =>
  image === undefined ? '' : `<img src=${quoted(image)} alt="" width="40" height="40">`

/** The part of the style of every page that is about its brand. Without a color the variables are not set. */
export const brandStyles = `
button.main { border-color: var(--accent, var(--link)); background: var(--accent, var(--link)); color: var(--on-accent, var(--ground)) }
.brand { display: flex; flex-wrap: wrap; gap: .75rem 1.5rem; max-width: 34rem; margin: 0 auto; padding: 1.25rem 1.25rem .75rem; border-bottom: 3px solid var(--accent, var(--line)) }
.brand p { display: flex; gap: .6rem; align-items: center; min-width: 0; margin: 0; font-weight: 600 }
.brand img { flex: none; object-fit: contain }
.initials { position: relative; flex: none; width: 40px; height: 40px; border-radius: 50%; overflow: hidden; background: var(--line); font-size: .9rem; line-height: 40px; text-align: center }
.initials img { position: absolute; inset: 0 }
.brand + main { padding-top: 2rem }
`

const imagesOf = ({ server, site }: Brand): string[] =>
  [server?.image, site?.image].filter((image) => image !== undefined)

/** Names the icon of a tab. A page that may load images would otherwise ask for `/favicon.ico`, which does not exist. */
export function brandIcon(brand: Brand): string {
  const [image] = imagesOf(brand)
  return image === undefined ? '' : `<link rel="icon" href=${quoted(image)}>\n`
}

/** Renders the header of a page: the server with its icon, and the project with its logo. */
export function brandHeader({ server, site }: Brand): string {
  // The initials stay behind the icon, and show if it is missing or does not load.
  const ofServer = server
    ? `<p><span class="initials" aria-hidden="true">${escapeHtml(initialsOf(server.name))}${imageOf(server.image)}</span><bdi>${escapeHtml(server.name)}</bdi></p>`
    : ''
  const ofSite = site ? `<p>${imageOf(site.image)}<bdi>${escapeHtml(site.name)}</bdi></p>` : ''
  return ofServer + ofSite === '' ? '' : `<header class="brand">${ofServer}${ofSite}</header>\n`
}

/** Returns the first letters of at most two words. */
export function initialsOf(name: string): string {
  const words = name.split(/\s+/u).filter((word) => /[\p{L}\p{N}]/u.test(word))
  const letters = words.slice(0, 2).map((word) => /[\p{L}\p{N}]\p{M}*/u.exec(word)?.[0] ?? '')
  return letters.join('').toUpperCase()
}

/** Returns the style that sets the color of a page, or undefined for the default. */
export function accentStyle({ accentColor }: Brand): string | undefined {
  if (accentColor === null) return undefined
  return `:root{--accent:${accentColor};--on-accent:${textColorOn(accentColor)}}`
}

/** Returns the end of `style-src` in a page's policy: the style of the brand's color, and images of the service. */
export function brandSources(brand: Brand | undefined): string {
  const style = brand && accentStyle(brand)
  const digest = style === undefined ? '' : ` 'sha256-${createHash('sha256').update(style).digest('base64')}'`
  return brand && imagesOf(brand).length > 0 ? `${digest}; img-src 'self'` : digest
}
