import { renderMermaidSVG } from 'beautiful-mermaid'
import { escapeHtml } from '../../../apps/api/src/platform/http/escape-html.ts'
import { addAsset, type SiteFiles } from './assets.ts'

/** The colors of the pages. An image does not inherit them. */
const light = { bg: '#ffffff', fg: '#171a21', muted: '#596273' }
const dark = { bg: '#101216', fg: '#e9ebef', muted: '#9ba4b3' }

/** Returns the HTML of a Mermaid diagram. The heading above the diagram becomes its name. */
export type Diagram = (code: string, heading: string) => string

/**
 * Draws diagrams during the build, as one picture for each color scheme. Keeps the text of the diagram for screen
 * readers and the search.
 */
export const createDiagrams =
  (files: SiteFiles): Diagram =>
  (code, heading) => {
    const [bright, dim] = [light, dark].map((colors) => addAsset(files, 'diagram.svg', draw(code, colors)))
    return `<picture><source media="(prefers-color-scheme: dark)" srcset="${dim}"><img src="${bright}" alt="${escapeHtml(`Diagram: ${heading}`)}"></picture>
<details><summary>The diagram as text</summary><pre tabindex="0"><code>${escapeHtml(code)}</code></pre></details>
`
  }

/**
 * Draws a diagram. Removes the import of the library's font, which comes from another origin. The library does not draw
 * the numbers of `autonumber`.
 */
const draw = (code: string, colors: typeof light) =>
  renderMermaidSVG(code, { ...colors, font: 'system-ui' }).replaceAll(/@import[^;]+;/g, '')
