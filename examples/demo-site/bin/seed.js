// Registers the demo site as a project, by the service's own use cases, in a process that ends before the
// service starts: the embedded database lets only one process into its folder.
import { loadConfig } from '../../../apps/api/dist/config.js'
import { createDeps, openConfiguredDatabase } from '../../../apps/api/dist/create-deps.js'
import { grantAccess } from '../../../apps/api/dist/features/access/grant-access.js'
import { ensureMainServer } from '../../../apps/api/dist/features/chat-servers/main-server.js'
import { syncServer } from '../../../apps/api/dist/features/chat-servers/sync-server.js'
import { createProject } from '../../../apps/api/dist/features/projects/create-project.js'
import { migrate } from '../../../apps/api/dist/platform/db/migrate.js'
import { createLog } from '../../../apps/api/dist/platform/log.js'

const [name, redirectUri] = process.argv.slice(2)
const { config } = loadConfig(process.env)
const log = createLog('warn')
const db = await openConfiguredDatabase(config, log)
try {
  await migrate(db)
  await ensureMainServer({ db }, config.chatGuildId)
  const deps = createDeps(config, log, db)
  await syncServer(deps, config.chatGuildId)
  const { id, apiKey } = await createProject(deps, {}, { name, redirectUris: [redirectUri] })
  await grantAccess(deps, {}, { projectId: id, serverId: config.chatGuildId })
  process.send({ id, apiKey })
} finally {
  await db.close()
}
process.exit()
