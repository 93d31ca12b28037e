import { createApp } from '@rolecall/api/app'
import { loadConfig } from '@rolecall/api/config'
import { createDeps, openConfiguredDatabase } from '@rolecall/api/create-deps'
import { createRecorder } from '@rolecall/api/features/monitoring/recorder'
import { createLifecycle } from '@rolecall/api/platform/http/lifecycle'
import { createLog } from '@rolecall/api/platform/log'

/** The service as `serve` starts it, or with RECORDING=off one that neither counts, times nor records. */
const { config } = loadConfig(process.env)
const log = createLog(config.logLevel)
const db = await openConfiguredDatabase(config, log)
const deps = createDeps(config, log, db)
await deps.cache.ping()
await deps.settings.start()
const lifecycle = createLifecycle()
const silent = () => ({ began() {}, answered() {}, refused() {} })
const recorder = createRecorder(deps)
const app =
  process.env['RECORDING'] === 'off'
    ? createApp(deps, recorder, lifecycle, { observe: silent })
    : createApp(deps, recorder, lifecycle)
await app.listen({ host: config.host, port: config.port })
deps.answers.start()
