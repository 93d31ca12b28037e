/** Escapes text for HTML, inside elements and quoted attributes. */
export const escapeHtml = (text: string) =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

/** Nothing but our own inline style may load, and nobody may frame the page. */
export const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
}

/** A plain, readable page for a browser that cannot go on. */
export const page = (title: string, paragraphs: readonly string[]) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>
:root { color-scheme: light dark; font: 1rem/1.6 system-ui, sans-serif }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; background: Canvas; color: CanvasText }
main { max-width: 32rem; padding: 2rem }
h1 { font-size: 1.4rem; line-height: 1.3; margin: 0 0 1rem }
p { margin: 0 0 .75rem; overflow-wrap: anywhere }
small { opacity: .7 }
</style>
</head>
<body><main>
<h1>${escapeHtml(title)}</h1>
${paragraphs.map((text) => `<p>${escapeHtml(text)}</p>`).join('\n')}
</main></body>
</html>
`
