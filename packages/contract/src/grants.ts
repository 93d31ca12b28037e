/**
 * The grants of a System Admin to a project in a server, each with its meaning; `scopes` and `operations` of a mapping.
 */
export const grants = {
  READ: {
    kind: 'operation',
    meaning:
      'Members of this server can sign in to the project, and their sessions are valid. Scopes take effect ' +
      'only together with `READ`. New access includes it.',
  },
  MANAGE_WEBHOOKS: {
    kind: 'operation',
    meaning:
      'The project can create, change, and delete its own inbound webhooks with its API key. A grant in any ' +
      'one server is enough.',
  },
  SEND_MESSAGES: {
    kind: 'operation',
    meaning:
      'Changes of this access are posted to the channel of the project (`webhookUrl`). No request requires ' +
      'this grant.',
  },
  read_members: {
    kind: 'scope',
    meaning: 'The project can read the members of this server and their roles. New access includes it.',
  },
  check_permissions: {
    kind: 'scope',
    meaning: 'The project can check whether members of this server have roles. New access includes it.',
  },
} as const

/** The name of a grant. */
export type Grant = keyof typeof grants
