import { Type } from 'typebox'
import { endpoint } from './endpoint.ts'

const tag = 'Monitoring'

/** The queues in the database by name, with the meaning of their entries. */
export const queueMeanings = {
  outbox: 'Events for streams that reconnect; each is kept for a day',
  notifications: 'Notices to be posted to channels',
  event_deliveries: 'Events to be sent to webhooks of projects; not those with a failing receiver',
  oidc_logouts: 'Logout tokens to be sent to clients of OpenID Connect, each for the first time',
  oidc_logouts_refused: 'Logout tokens with a failing receiver, to be sent again',
  member_syncs: 'Member lists of servers that are being read; the age is the time since the last progress',
} as const

/** The name of a queue. */
export type QueueName = keyof typeof queueMeanings

/** The entries that wait in one queue. */
export const Queue = Type.Object({
  name: Type.Unsafe<QueueName>({ type: 'string', enum: Object.keys(queueMeanings) }),
  meaning: Type.String(),
  waiting: Type.Integer({ description: 'Counted up to 100,000.' }),
  oldestSec: Type.Number({ description: 'Seconds for which the oldest has waited; 0 where nothing waits.' }),
})

/** Lists the waiting entries of all queues in the database. */
export const queues = endpoint({
  method: 'GET',
  path: '/api/admin/monitoring/queues',
  tag,
  summary: 'Queues and their waiting rows',
  description: 'Changes that the gateway reported and that are not written yet are in `lagMs` of the health.',
  auth: 'admin',
  answers: { 200: Type.Object({ data: Type.Array(Queue) }) },
  refuses: [],
})
