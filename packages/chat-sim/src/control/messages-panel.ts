import type { APIEmbed } from 'discord-api-types/v10'
import { type Html, html } from '../pages/html.ts'
import type { Platform } from '../platform.ts'
import type { InboxMessage } from '../rest/webhook-inbox.ts'
import { hexColor } from './role-chip.ts'

const shown = 8

/** Returns the panel with the latest messages to webhooks, newest first. Texts are shown as sent, including markup. */
export const messagesPanel = ({ inbox, world }: Platform): Html => {
  const latest = inbox.messages().slice(-shown).reverse()
  return html`<h3>Messages at webhooks</h3>
${latest.length === 0 && html`<p class="quiet">No message yet.</p>`}
<ol class="messages">${latest.map(
    (message) => html`<li>
<p class="small quiet"><bdi>${world.webhooks.get(message.webhookId)?.name ?? 'a deleted webhook'}</bdi> · <time>${new Date(message.at).toISOString().slice(11, 19)}</time></p>
${text(message) && html`<p>${text(message)}</p>`}
${(message.body.embeds ?? []).map(embedCard)}
</li>`,
  )}</ol>`
}

const text = ({ body }: InboxMessage): string | undefined =>
  typeof body.content === 'string' && body.content !== '' ? body.content : undefined

const embedCard = ({
  title,
  description,
  color,
  fields = [],
  footer,
}: APIEmbed): Html => html`<div class="embed">
<p class="name">${dot(color)} <bdi>${title ?? ''}</bdi></p>
${description && html`<p>${description}</p>`}
${fields.map((field) => html`<p><b>${field.name}</b> ${field.value}</p>`)}
${footer && html`<p class="small quiet">${footer.text}</p>`}
</div>`

/** Returns the colored stripe of an embed. It is an SVG, because the page's policy allows no inline styles. */
const dot = (color = 0): Html =>
  html`<svg class="dot" viewBox="0 0 12 12" aria-hidden="true"><rect x="4" width="4" height="12" rx="2" fill="${hexColor(color)}"/></svg>`
