import { findMainServer } from '#mirror/read-servers'
import { insertFirstServer } from '#mirror/write-servers'
import type { Deps } from '../../deps.ts'

/**
 * The start-up rule of the specification: without any server record the main server is created from the
 * configuration; a stored main server that differs is a problem, returned as a sentence.
 */
export async function ensureMainServer({ db }: Pick<Deps, 'db'>, configuredId: string | undefined) {
  if (configuredId) await insertFirstServer(db, configuredId)
  const main = await findMainServer(db)
  if (!main || !configuredId || main.id === configuredId) return undefined
  return (
    `CHAT_GUILD_ID is ${configuredId}, but the stored main server is ${main.id}. Correct the variable, ` +
    'or make the other server the main one in the administration.'
  )
}
