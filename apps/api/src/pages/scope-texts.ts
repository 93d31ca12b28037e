import type { Reader } from '#platform/http/reader'

const keys = {
  profile: 'scopeProfile',
  email: 'scopeEmail',
  roles: 'scopeRoles',
  offline_access: 'scopeOffline',
} as const

const isScope = (scope: string): scope is keyof typeof keys => Object.hasOwn(keys, scope)

/** Tells a member, for the consent page, what each scope reveals. The account itself is always listed. */
export const scopeTexts = ({ say }: Reader, scopes: readonly string[]): string[] => [
  say('scopeAccount'),
  ...scopes.filter(isScope).map((scope) => say(keys[scope])),
]
