import { chatServers } from '@rolecall/contract'
import type { By } from '#audit/event'
import { singleFlight } from '#platform/async'
import { Answer } from '#platform/http/answer'
import type { Router } from '#platform/http/router'
import { by, type Callers } from '../../callers/callers.ts'
import type { ChangeDeps, Deps } from '../../deps.ts'
import { addServer } from './add-server.ts'
import { getBot } from './get-bot.ts'
import { getServer } from './get-server.ts'
import { listServerRoles } from './list-roles.ts'
import { removeServer } from './remove-server.ts'
import { listServers } from './store.ts'
import { updateServer } from './update-server.ts'

/** The function of the mirror that starts a sync of all members of a server. `app.ts` passes it. */
interface ServerRouteDeps {
  readonly startMemberSync: (server: chatServers.ChatServer, by: By) => Promise<chatServers.MemberSync>
}

/** Registers the endpoints that System Admins use to manage the servers, their roles, and the bot. */
export function chatServerRoutes(
  { route }: Router<Callers>,
  deps: Deps,
  { startMemberSync }: ServerRouteDeps,
) {
  const { db, runDry } = deps
  route(chatServers.listServers, async () => {
    const data = await listServers(db)
    return { data, total: data.length }
  })
  const readBot = singleFlight(() => getBot(deps))
  route(chatServers.getBot, () => readBot())
  route(chatServers.addServer, (request) => addServer(deps, by(request), request.body))
  route(chatServers.updateServer, (request) => {
    const { id } = request.params
    const change = (parts: ChangeDeps) => updateServer(parts, by(request), id, request.body)
    return request.query.dryRun ? runDry({ serverId: id }, change) : change(deps)
  })
  route(chatServers.removeServer, async (request) => {
    const { id } = request.params
    const change = (parts: ChangeDeps) => removeServer({ ...deps, ...parts }, by(request), id)
    if (request.query.dryRun) return runDry({ serverId: id }, change)
    await change(deps)
    return new Answer(204)
  })
  route(chatServers.syncServer, async (request) =>
    startMemberSync(await getServer(db, request.params.id), by(request)),
  )
  route(chatServers.listRoles, ({ params }) => listServerRoles(deps, params.id))
}
