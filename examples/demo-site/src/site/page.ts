import { type Html, html } from './html.ts'

interface Page {
  readonly title: string
  readonly main: Html
  readonly script?: string
}

/** Returns a page with the frame that all pages share. */
export const page = ({ title, main, script }: Page): Html => html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Rolecall demo</title>
<link rel="icon" href="/icon.svg">
<link rel="stylesheet" href="/site.css">
${script && html`<script src="${script}" defer></script>`}
</head>
<body>
<header class="top">
<a class="brand" href="/"><img src="/icon.svg" alt="" width="28" height="28">Harbour Club</a>
<span class="quiet">a demo of Rolecall</span>
</header>
${main}
</body>
</html>`
