import { type Static, Type } from 'typebox'
import { endpoint } from './endpoint.ts'
import { Closed, DateTime, Nullable, OneOf, Snowflake, Uuid } from './formats.ts'

const tag = 'OpenID Connect'

const LogoutDeliveryStatus = OneOf('pending', 'delivered', 'failed')

const LogoutDelivery = Type.Object({
  id: Uuid,
  projectId: Uuid,
  sessionId: { ...Uuid, description: 'The session that ended. It is `sid` in the logout token.' },
  memberId: Snowflake,
  uri: Type.String({ description: 'The address to which the logout token is sent.' }),
  status: LogoutDeliveryStatus,
  attempts: Type.Integer(),
  lastStatus: Nullable(Type.Integer({ description: 'The HTTP status of the last response of the client.' })),
  lastError: Nullable(Type.String()),
  createdAt: { ...DateTime, description: 'The time when the session ended.' },
  lastAttemptAt: Nullable(DateTime),
  nextAttemptAt: Nullable({
    ...DateTime,
    description: 'The earliest time of the next attempt, while the delivery is pending.',
  }),
  deliveredAt: Nullable(DateTime),
  failedAt: Nullable(DateTime),
})

const LogoutDeliveryQuery = Closed({
  status: Type.Optional(LogoutDeliveryStatus),
  cursor: Type.Optional({ ...Uuid, description: '`nextCursor` of the previous page.' }),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500, default: 50 })),
})

/** Lists the logout tokens that were sent to a client, by cursor. Refuses with PROJECT_NOT_FOUND. */
export const listLogoutDeliveries = endpoint({
  method: 'GET',
  path: '/api/admin/projects/{id}/logout-deliveries',
  tag,
  summary: 'List back-channel logouts of a project, newest first',
  description:
    'Returns the logout tokens for `oidc.backchannelLogoutUri` of the last 30 days, sent and pending: one ' +
    'for each ended session. A failed token is retried for 24 hours.',
  auth: 'admin',
  owners: 'id',
  params: Closed({ id: Uuid }),
  query: LogoutDeliveryQuery,
  answers: { 200: Type.Object({ data: Type.Array(LogoutDelivery), nextCursor: Nullable(Uuid) }) },
  refuses: ['PROJECT_NOT_FOUND'],
})

/** Sends the logout token to a client again. Refuses with PROJECT_NOT_FOUND, DELIVERY_NOT_FOUND, LOGOUT_URI_MISSING. */
export const resendLogoutDelivery = endpoint({
  method: 'POST',
  path: '/api/admin/projects/{id}/logout-deliveries/{deliveryId}/resend',
  tag,
  summary: 'Send a logout to a client again',
  description:
    'Sends a delivered or failed logout to the current address of the project, with a new logout token. A pending logout ' +
    'is not changed.',
  auth: 'admin',
  owners: 'id',
  params: Closed({ id: Uuid, deliveryId: Uuid }),
  answers: { 202: LogoutDelivery },
  refuses: ['PROJECT_NOT_FOUND', 'DELIVERY_NOT_FOUND', 'LOGOUT_URI_MISSING'],
})

export type LogoutDeliveryStatus = Static<typeof LogoutDeliveryStatus>
export type LogoutDelivery = Static<typeof LogoutDelivery>
export type LogoutDeliveryQuery = Static<typeof LogoutDeliveryQuery>
