import { Html, html } from '../../../apps/api/src/features/docs/html.ts'
import type { Content } from './content.ts'
import { relativeAddress, relativePath } from './links.ts'
import type { PlacedPage } from './navigation.ts'

/** The paths, within the site, of the files that every page loads. */
export interface Assets {
  readonly style: string
  readonly script: string
  readonly index: string
  readonly icon: string
}

type Side = readonly PlacedPage[]

/** Returns a whole page. It loads its own style, script, and pictures, and has no inline script or style. */
export function renderLayout(page: PlacedPage, content: Content, pages: Side, assets: Assets): string {
  const file = (path: string) => relativePath(page.source, path)
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${page.title} · Rolecall</title>
<meta name="description" content="${`For ${page.for}. Afterwards you can ${page.after}.`}">
<link rel="icon" href="${file(assets.icon)}">
<link rel="stylesheet" href="${file(assets.style)}">
<script type="module" src="${file(assets.script)}" data-index="${file(assets.index)}"></script>
</head>
<body>
<a class="skip" href="#main">Skip to the text</a>
<header class="top">
<a class="brand" href="${relativeAddress(page.source, 'docs/README.md')}">Rolecall <span>Documentation</span></a>
<button type="button" class="search" hidden>Search <kbd>/</kbd></button>
</header>
<div class="layout">
<nav class="pages" aria-label="Pages">
<details class="menu" open><summary>Menu</summary>
<ul>
${sectionsOf(pages).map((section) => renderSection(section, page, pages))}</ul>
</details>
</nav>
<main id="main" tabindex="-1">
<p class="section">${page.section}${page.group !== undefined && html` · ${page.group}`}</p>
${new Html(withAudience(content.html, page))}
${renderNeighbors(page, pages)}
</main>
${renderContents(content)}
</div>
<dialog class="search" aria-label="Search">
<form method="dialog"><label>Search the documentation <input type="search" autocomplete="off" spellcheck="false"></label>
<button>Close</button></form>
<p role="status"></p>
<ol></ol>
</dialog>
</body>
</html>
`.text
}

/** Adds a line below the first heading that says who the page is for. */
const withAudience = (text: string, page: PlacedPage): string =>
  text.replace(
    '</h1>',
    () =>
      `</h1>\n${html`<p class="audience"><strong>For</strong> ${page.for}. <strong>Afterwards</strong> you can ${page.after}.</p>`.text}`,
  )

const sectionsOf = (pages: Side) => [...new Set(pages.map(({ section }) => section))]

/**
 * Returns a section of the menu. The section of the page lists its pages. Each other section links to its first page.
 */
function renderSection(section: string, page: PlacedPage, pages: Side): Html {
  const own = pages.filter((one) => one.section === section)
  const [first] = own
  if (!first) throw new Error(`The section ${section} has no page.`)
  if (section !== page.section) return html`<li>${renderLink(page, first, section)}</li>\n`
  const groups = [...new Set(own.map(({ group }) => group))]
  return html`<li><strong>${section}</strong>\n<ul>
${groups.map((group) => {
  const list = own
    .filter((one) => one.group === group)
    .map((one) => html`<li>${renderLink(page, one)}</li>\n`)
  return group === undefined
    ? list
    : html`<li><details${group === page.group && ' open'}><summary>${group}</summary><ul>\n${list}</ul></details></li>\n`
})}</ul></li>\n`
}

const renderLink = (page: PlacedPage, to: PlacedPage, text = to.label): Html =>
  html`<a href="${relativeAddress(page.source, to.source)}"${page === to && new Html(' aria-current="page"')}>${text}</a>`

/** Returns links to the previous and the next page of the section, in reading order. */
function renderNeighbors(page: PlacedPage, pages: Side): Html {
  const own = pages.filter(({ section }) => section === page.section)
  const at = own.indexOf(page)
  const [previous, next] = [own[at - 1], own[at + 1]]
  return html`<nav class="neighbors" aria-label="Previous and next">
${previous && html`<p>Previous: ${renderLink(page, previous)}</p>`}
${next && html`<p>Next: ${renderLink(page, next)}</p>`}
</nav>`
}

/** Returns the list of the headings of a page, if it has several. */
function renderContents({ headings }: Content): Html | false {
  const parts = headings.filter(({ level }) => level === 2)
  if (parts.length < 2) return false
  return html`<nav class="contents" aria-label="On this page">
<p>On this page</p>
<ul>
${parts.map(({ anchor, text }) => html`<li><a href="#${anchor}">${text}</a></li>\n`)}</ul>
</nav>`
}
