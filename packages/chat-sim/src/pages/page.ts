import type { Reply } from '../http/call.ts'
import { type Html, html } from './html.ts'

interface Page {
  title: string
  main: Html
  status?: number
  script?: string
  /**
   * True if forms of the page lead to redirects to other sites. The policy then omits `form-action`, because some
   * browsers also apply it to redirects.
   */
  formsLeaveTheSite?: boolean
}

/** Returns a page with the frame that all pages share. The frame says that this is the simulator. */
export function page({ title, main, status = 200, script, formsLeaveTheSite = false }: Page): Reply {
  const policy = [
    "default-src 'none'",
    "style-src 'self'",
    "img-src 'self'",
    "script-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    ...(formsLeaveTheSite ? [] : ["form-action 'self'"]),
  ]
  const document = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Discord simulator</title>
<link rel="stylesheet" href="/assets/style.css">
<link rel="icon" href="/cdn/icons/0/chat-sim.svg">
${script && html`<script src="${script}" defer></script>`}
</head>
<body>
<p class="notice" role="note"><strong>Local simulator.</strong> This is not Discord. No real account is involved.</p>
${main}
</body>
</html>`
  return {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy.join('; '),
      'cache-control': 'no-store',
      // With `no-referrer`, forms of these pages would have the origin `null`.
      'referrer-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
    },
    body: document.markup,
  }
}
