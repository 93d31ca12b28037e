import { findMainServer } from '#mirror/read-servers'
import { insertFirstServer } from '#mirror/write-servers'
import type { Deps } from '../../deps.ts'

/**
 * Ensures at the start of the service that there is a main server. If no server was ever registered, registers the one
 * in the configuration (`CHAT_GUILD_ID`). Returns a sentence if another server is the main server. Otherwise returns
 * undefined.
 */
export async function ensureMainServer({ db }: Pick<Deps, 'db'>, configuredId: string | undefined) {
  if (configuredId) await insertFirstServer(db, configuredId)
  const main = await findMainServer(db)
  if (!main || !configuredId || main.id === configuredId) return undefined
  return (
    `CHAT_GUILD_ID is ${configuredId}, but the stored main server is ${main.id}. Correct the variable, ` +
    'or make the other server the main server in the console.'
  )
}
