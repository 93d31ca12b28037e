import type { Reader } from '#platform/http/reader'

const keys = {
  profile: 'scopeProfile',
  email: 'scopeEmail',
  roles: 'scopeRoles',
  offline_access: 'scopeOffline',
} as const

const isScope = (scope: string): scope is keyof typeof keys => Object.hasOwn(keys, scope)

/** Returns the meaning of each scope for the person that the data is about. The account itself is always included. */
export const scopeTexts = ({ say }: Reader, scopes: readonly string[]): string[] => [
  say('scopeAccount'),
  ...scopes.filter(isScope).map((scope) => say(keys[scope])),
]
