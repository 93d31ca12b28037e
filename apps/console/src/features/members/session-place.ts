import type { MemberSession } from '@rolecall/sdk/admin'

const kinds = { admin: 'The administration', sso: 'Single sign-on' } as const

/** Returns the name of the place in which a session is valid: a project, or the console. */
export const sessionPlace = ({ kind, projectName }: MemberSession): string =>
  kind === 'project' ? (projectName ?? 'A project') : kinds[kind]
