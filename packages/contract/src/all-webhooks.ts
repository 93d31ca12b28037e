import { Type } from 'typebox'
import { endpoint } from './endpoint.ts'
import { Closed } from './formats.ts'
import { InboundWebhook } from './webhooks.ts'

const { schema: _, ...shown } = InboundWebhook.properties

/** An inbound webhook with the name of its project, and without its schema, which is long. */
export const ListedWebhook = Type.Object({ ...shown, projectName: Type.String() })

/** Lists the inbound webhooks of all projects, newest first. */
export const listAllWebhooks = endpoint({
  method: 'GET',
  path: '/api/admin/inbound-webhooks',
  tag: 'Inbound webhooks',
  summary: 'List inbound webhooks of all projects, newest first',
  auth: 'admin',
  query: Closed({
    name: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        description: 'Part of the name of the webhook or its project, case-insensitive.',
      }),
    ),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500, default: 100 })),
    offset: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000, default: 0 })),
  }),
  answers: { 200: Type.Object({ data: Type.Array(ListedWebhook), total: Type.Integer() }) },
  refuses: [],
})
