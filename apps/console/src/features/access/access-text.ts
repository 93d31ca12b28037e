import type { AccessMapping, Project } from '@rolecall/sdk/admin'

type Granted = Pick<AccessMapping, 'operations' | 'scopes'>

/** Returns the access that a mapping grants, in a few words. */
export function grantText({ operations, scopes }: Granted): string {
  const granted = [
    ...(operations.READ ? ['sign in'] : []),
    ...(scopes.includes('read_members') ? ['members'] : []),
    ...(scopes.includes('check_permissions') ? ['checks'] : []),
    ...(operations.MANAGE_WEBHOOKS ? ['webhooks'] : []),
  ]
  return granted.length > 0 ? granted.join(', ') : 'nothing'
}

/** Returns true if the project can use the server without a mapping. */
export const isBuiltIn = (
  { isInternal }: Pick<Project, 'isInternal'>,
  { isMain }: { readonly isMain: boolean },
): boolean => isInternal && isMain

/**
 * Returns the text of a cell of the access matrix. An internal project can use the main server with all scopes, unless
 * a mapping restricts them.
 */
export function accessText(
  project: Pick<Project, 'isInternal'>,
  server: { readonly isMain: boolean },
  mapping: Granted | undefined,
): string {
  if (!isBuiltIn(project, server)) return mapping ? grantText(mapping) : 'None'
  if (!mapping) return 'Main server (internal)'
  const { operations, scopes } = mapping
  return `Main server (internal): ${grantText({ operations: { ...operations, READ: true }, scopes })}`
}

/** Returns true if scopes have an effect, which is only while members can sign in. */
export const doScopesCount = (operations: Granted['operations'], isAlwaysReadable: boolean): boolean =>
  operations.READ || isAlwaysReadable
