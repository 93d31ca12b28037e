import { createHash } from 'node:crypto'
import { Html, html } from './html.ts'
import { style } from './style.ts'

const icon =
  'data:image/svg+xml,%3Csvg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"%3E%3Crect width="16" height="16" rx="4" fill="%230b57b7"/%3E%3Cpath d="M4 8.5 7 11l5-6" stroke="%23fff" stroke-width="2" fill="none"/%3E%3C/svg%3E'

/**
 * The content security policy of the pages. It permits no script, nothing from other origins, and only this one style.
 */
export const docsPolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** The parts of a page. */
interface Layout {
  readonly title: string
  readonly navigation: Html
  readonly main: Html
}

/** Builds a page of the API documentation. */
export const layout = ({ title, navigation, main }: Layout): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Rolecall</title>
<link rel="icon" href="${icon}">
<style>${new Html(style)}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the text</a>
<div class="layout">
<nav aria-label="Contents">
<a class="brand" href="/api/docs">Rolecall</a>
<ul>
<li><a href="/api/docs">API</a></li>
<li><a href="/api/docs/errors">Error codes</a></li>
<li><a href="/api/openapi.json">OpenAPI document</a></li>
<li><a href="/docs/">Documentation</a></li>
${navigation}
</ul>
</nav>
<main id="main">
${main}
</main>
</div>
</body>
</html>
`.text
