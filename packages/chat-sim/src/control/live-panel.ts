import type { GatewayControl } from '../gateway/control.ts'
import { type Html, html } from '../pages/html.ts'
import type { Platform } from '../platform.ts'
import { messagesPanel } from './messages-panel.ts'

/** Returns the panel with the current activity of the service under test. The page's script refreshes the panel. */
export function livePanel(platform: Platform, gateway: GatewayControl): Html {
  const { journal, inbox } = platform
  const { connections, sessions } = gateway.state()
  const latest = journal
    .entries()
    .filter(({ route }) => route !== 'cdn')
    .slice(-12)
    .reverse()
  return html`<section class="panel" id="live" aria-labelledby="live-title">
<h2 id="live-title">Activity</h2>
<dl class="figures">
<div><dt>Gateway connections</dt><dd>${connections}</dd></div>
<div><dt>Sessions</dt><dd>${sessions.length}</dd></div>
<div><dt>Requests</dt><dd>${journal.count() - journal.count('cdn')}</dd></div>
<div><dt>Webhook messages</dt><dd>${inbox.messages().length}</dd></div>
</dl>
${messagesPanel(platform)}
<h3>Requests</h3>
${latest.length === 0 && html`<p class="quiet">No request yet.</p>`}
<ol class="journal">${latest.map(
    (entry) =>
      html`<li><span class="status ${entry.status === undefined || (entry.status > 0 && entry.status < 400) ? 'good' : 'bad'}">${
        entry.status === 0 ? 'cut' : (entry.status ?? '…')
      }</span> <code>${entry.method} ${entry.path}</code></li>`,
  )}</ol>
</section>`
}
