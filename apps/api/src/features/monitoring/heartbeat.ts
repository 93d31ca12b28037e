import { DatabaseUnavailable } from '#platform/db/database'
import { version } from '#platform/version'
import type { Deps } from '../../deps.ts'
import { beatInstance, removeInstance } from './instances-store.ts'

const everyMs = 5_000

/** Tells the other instances that this one is there. */
export interface Heartbeat {
  readonly id: string
  /** Says so now. */
  beat(): Promise<unknown>
  /** Says so from now on. */
  start(): void
  /** Says that it goes. */
  close(): Promise<void>
}

export function createHeartbeat({
  db,
  log,
  liveMirror,
  instanceId: id,
}: Pick<Deps, 'db' | 'log' | 'liveMirror' | 'instanceId'>): Heartbeat {
  let timer: NodeJS.Timeout | undefined
  let beating: Promise<unknown> = Promise.resolve()

  const beat = () =>
    beatInstance(db, {
      id,
      version,
      uptimeMs: process.uptime() * 1_000,
      leadsGateway: liveMirror.status().isLeader,
    })
  const ignoreOutage = (error: unknown) => {
    if (!(error instanceof DatabaseUnavailable))
      log.error({ err: error }, 'a sign of life could not be written')
  }
  const tell = () => {
    beating = beat().catch(ignoreOutage)
  }
  return {
    id,
    beat,
    start() {
      tell()
      timer = setInterval(tell, everyMs)
      timer.unref()
    },
    async close() {
      clearInterval(timer)
      await beating
      if (timer) await removeInstance(db, id).catch(ignoreOutage)
    },
  }
}
