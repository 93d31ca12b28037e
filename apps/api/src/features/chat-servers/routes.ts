import { chatServers } from '@rolecall/contract'
import type { By } from '#audit/event'
import type { Router } from '#platform/http/router'
import type { Deps } from '../../deps.ts'
import { by, type Callers } from '../callers.ts'
import { addServer } from './add-server.ts'
import { getServer } from './get-server.ts'
import { listServerRoles } from './list-roles.ts'
import { removeServer } from './remove-server.ts'
import { listServers } from './store.ts'
import { updateServer } from './update-server.ts'

interface ServerRouteDeps {
  readonly startMemberSync: (server: chatServers.ChatServer, by: By) => Promise<chatServers.MemberSync>
}

export function chatServerRoutes(
  { route }: Router<Callers>,
  deps: Deps,
  { startMemberSync }: ServerRouteDeps,
) {
  const { db } = deps
  route(chatServers.listServers, async () => {
    const data = await listServers(db)
    return { data, total: data.length }
  })
  route(chatServers.addServer, (request) => addServer(deps, by(request), request.body))
  route(chatServers.updateServer, (request) =>
    updateServer(deps, by(request), request.params.id, request.body),
  )
  route(chatServers.removeServer, (request) => removeServer(deps, by(request), request.params.id))
  route(chatServers.syncServer, async (request) =>
    startMemberSync(await getServer(db, request.params.id), by(request)),
  )
  route(chatServers.listRoles, ({ params }) => listServerRoles(deps, params.id))
}
