import type { RESTPostAPIWebhookWithTokenJSONBody } from 'discord-api-types/v10'
import { type Call, header, json, noContent, param } from '../http/call.ts'
import { PlatformError, unknownWebhook } from '../http/platform-error.ts'
import type { Route } from '../http/route.ts'
import { toDate } from './objects.ts'
import { booleanQuery, idParam } from './reach.ts'
import { messageProblems } from './webhook-limits.ts'

/**
 * The route that accepts messages to a webhook. Its address is the only secret, and the Authorization header is
 * ignored.
 */
export const webhook: Route = {
  name: 'webhook',
  method: 'POST',
  path: '/webhooks/:webhook/:token',
  at: 'api',
  auth: 'none',
  handle(platform, call) {
    const known = platform.world.webhooks.get(idParam(call, 'webhook'))
    if (!known) throw unknownWebhook()
    if (known.token !== param(call, 'token')) throw new PlatformError(401, 50027, 'Invalid Webhook Token')
    const body = readMessage(call)
    const problems = messageProblems(body)
    if (Object.keys(problems).length > 0) throw new PlatformError(400, 50035, 'Invalid Form Body', problems)
    if (!body.content && !body.embeds?.length && !body.components?.length && !body.poll) {
      throw new PlatformError(400, 50006, 'Cannot send an empty message')
    }

    const id = platform.world.mintId()
    const at = platform.clock.now()
    platform.inbox.add({ id, webhookId: known.id, at, body })
    if (!booleanQuery(call, 'wait')) return noContent()
    return json({
      id,
      type: 0,
      content: body.content ?? '',
      channel_id: known.channel_id,
      webhook_id: known.id,
      author: {
        id: known.id,
        username: body.username ?? known.name,
        avatar: null,
        discriminator: '0000',
        public_flags: 0,
        flags: 0,
        bot: true,
        global_name: null,
      },
      embeds: body.embeds ?? [],
      attachments: [],
      mentions: [],
      mention_roles: [],
      mention_everyone: false,
      pinned: false,
      tts: body.tts ?? false,
      timestamp: toDate(new Date(at).toISOString()),
      edited_timestamp: null,
      flags: body.flags ?? 0,
      components: body.components ?? [],
    })
  },
}

function readMessage(call: Call): RESTPostAPIWebhookWithTokenJSONBody {
  if (!header(call, 'content-type').startsWith('application/json')) {
    throw new PlatformError(400, 50035, 'Invalid Form Body', {
      _errors: [
        {
          code: 'CONTENT_TYPE_INVALID',
          message: 'Expected "Content-Type" header to be one of {"application/json"}.',
        },
      ],
    })
  }
  const invalid = () => new PlatformError(400, 50109, 'The request body contains invalid JSON.')
  try {
    const body: unknown = JSON.parse(call.body.toString('utf8'))
    if (typeof body !== 'object' || body === null || Array.isArray(body)) throw invalid()
    return body
  } catch {
    throw invalid()
  }
}
