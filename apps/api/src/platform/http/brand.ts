import { createHash } from 'node:crypto'
import { textColorOn } from '@rolecall/contract'
import { escapeHtml } from './escape-html.ts'

/** The community and the site that a page belongs to: their names, their images, and the color of the page. */
export interface Brand {
  readonly server?: Part | undefined
  readonly site?: Part | undefined
  /** A color as `#rrggbb`, or null for the default. */
  readonly accentColor: string | null
}

interface Part {
  readonly name: string
  /** The path of the image at this service. */
  readonly image?: string | undefined
}

const quoted = (text: string) => `"${escapeHtml(text)}"`
const imageOf = (image: string | undefined) =>
  image === undefined ? '' : `<img src=${quoted(image)} alt="" width="40" height="40">`

/**
 * The part of every page's style that shows the brand. Without a color of its own, the page uses the default values.
 */
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

/**
 * Returns the icon for the browser tab. Without it, a page that may load images would request `/favicon.ico`, which
 * does not exist.
 */
export function brandIcon(brand: Brand): string {
  const [image] = imagesOf(brand)
  return image === undefined ? '' : `<link rel="icon" href=${quoted(image)}>\n`
}

/** Renders the header of a page: the server with its icon, and the project with its logo. */
export function brandHeader({ server, site }: Brand): string {
  // The icon covers the initials, which are visible only if there is no icon or it does not load.
  const ofServer = server
    ? `<p><span class="initials" aria-hidden="true">${escapeHtml(initialsOf(server.name))}${imageOf(server.image)}</span><bdi>${escapeHtml(server.name)}</bdi></p>`
    : ''
  const ofSite = site ? `<p>${imageOf(site.image)}<bdi>${escapeHtml(site.name)}</bdi></p>` : ''
  return ofServer + ofSite === '' ? '' : `<header class="brand">${ofServer}${ofSite}</header>\n`
}

/** Returns the first letters of the first two words, in upper case. */
export function initialsOf(name: string): string {
  const words = name.split(/\s+/u).filter((word) => /[\p{L}\p{N}]/u.test(word))
  const letters = words.slice(0, 2).map((word) => /[\p{L}\p{N}]\p{M}*/u.exec(word)?.[0] ?? '')
  return letters.join('').toUpperCase()
}

/** Returns the style that sets the color of a page, or undefined for the default color. */
export function accentStyle({ accentColor }: Brand): string | undefined {
  if (accentColor === null) return undefined
  return `:root{--accent:${accentColor};--on-accent:${textColorOn(accentColor)}}`
}

/**
 * Returns the end of `style-src` in the page's Content Security Policy. It permits the style with the color, and images
 * from this service.
 */
export function brandSources(brand: Brand | undefined): string {
  const style = brand && accentStyle(brand)
  const digest = style === undefined ? '' : ` 'sha256-${createHash('sha256').update(style).digest('base64')}'`
  return brand && imagesOf(brand).length > 0 ? `${digest}; img-src 'self'` : digest
}
