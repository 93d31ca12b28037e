import type { ChatServer, Project } from '@rolecall/sdk/admin'
import type { Choice } from '../../forms/fields.tsx'

/**
 * Servers to choose from. An empty ID means the current main server. The stored server is one of them, even if the
 * service no longer has it.
 *
 * @param servers The servers of the service. Undefined until they are loaded, and for owners, who may not read them.
 */
export function serverChoices(
  servers: readonly ChatServer[] | undefined,
  { serverAccess }: Pick<Project, 'serverAccess'>,
  stored: string | null,
): readonly Choice[] {
  const known =
    servers?.map(({ id, name }) => ({ id, text: name })) ??
    serverAccess.map(({ serverId, serverName }) => ({ id: serverId, text: serverName }))
  const isKnown = stored === null || known.some(({ id }) => id === stored)
  return [{ id: '', text: 'The main server' }, ...known, ...(isKnown ? [] : [{ id: stored, text: stored }])]
}
