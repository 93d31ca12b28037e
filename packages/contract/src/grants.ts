/**
 * The grants that a System Admin can give to a project in a server, each with its meaning. A mapping contains them as
 * `scopes` and `operations`.
 */
export const grants = {
  READ: {
    kind: 'operation',
    meaning:
      'Members of this server can sign in to the project, and their sessions are valid. Scopes take effect only with it. ' +
      'Granted with every new mapping.',
  },
  MANAGE_WEBHOOKS: {
    kind: 'operation',
    meaning:
      'The project can create, change, and delete its own inbound webhooks with its API key. One server is enough.',
  },
  SEND_MESSAGES: {
    kind: 'operation',
    meaning:
      'Changes of this mapping are posted to the webhook address of the project. Nothing is rejected without it.',
  },
  read_members: {
    kind: 'scope',
    meaning:
      'The project can read the members of this server with their roles. Granted with every new mapping.',
  },
  check_permissions: {
    kind: 'scope',
    meaning: 'The project can check whether members hold roles. Granted with every new mapping.',
  },
} as const

/** The name of a grant. */
export type Grant = keyof typeof grants
