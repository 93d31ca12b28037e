import { Type } from 'typebox'
import { endpoint } from './endpoint.ts'

const tag = 'Monitoring'

/** The queues in the database by name, with the meaning of their entries. */
export const queueMeanings = {
  outbox: 'Events for streams that reconnect. Each is stored for a day',
  notifications: 'Pending notices to channels',
  event_deliveries: 'Pending events to webhooks of projects, without failing receivers',
  oidc_logouts: 'First attempts of logout tokens to OpenID Connect clients',
  oidc_logouts_refused: 'Retries of logout tokens to failing receivers',
  member_syncs: 'Running member syncs of servers. The age is the time since the last progress',
} as const

/** The name of a queue. */
export type QueueName = keyof typeof queueMeanings

/** The entries that wait in one queue. */
export const Queue = Type.Object({
  name: Type.Unsafe<QueueName>({ type: 'string', enum: Object.keys(queueMeanings) }),
  meaning: Type.String(),
  waiting: Type.Integer({ description: 'The number of waiting rows, counted up to 100,000.' }),
  oldestSec: Type.Number({ description: 'The age of the oldest row in seconds; 0 if the queue is empty.' }),
})

/** Lists the waiting entries of all queues in the database. */
export const queues = endpoint({
  method: 'GET',
  path: '/api/admin/monitoring/queues',
  tag,
  summary: 'List queues with their waiting rows',
  description: 'Changes from the gateway that are not stored yet have no queue: see `lagMs` in the health.',
  auth: 'admin',
  answers: { 200: Type.Object({ data: Type.Array(Queue) }) },
  refuses: [],
})
