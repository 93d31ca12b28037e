/**
 * The grants of a System Admin to a project in a server, each with its meaning; `scopes` and `operations` of a mapping.
 */
export const grants = {
  READ: {
    kind: 'operation',
    meaning:
      'Members of that server may log in to the project, and their sessions count. Scopes count only with it. Given with every new mapping.',
  },
  MANAGE_WEBHOOKS: {
    kind: 'operation',
    meaning:
      'The project makes, changes and deletes its own inbound webhooks by its key. In one server it is enough.',
  },
  SEND_MESSAGES: {
    kind: 'operation',
    meaning:
      'Changes of this mapping are told in the channel of the project’s webhook address. Nothing is refused without it.',
  },
  read_members: {
    kind: 'scope',
    meaning: 'The project reads the members of that server with their roles. Given with every new mapping.',
  },
  check_permissions: {
    kind: 'scope',
    meaning: 'The project asks whether members hold roles. Given with every new mapping.',
  },
} as const

/** The name of a grant. */
export type Grant = keyof typeof grants
