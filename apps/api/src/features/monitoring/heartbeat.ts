import { DatabaseUnavailable } from '#platform/db/database'
import { version } from '#platform/version'
import type { Deps } from '../../deps.ts'
import { removeInstance, writeHeartbeat } from './instances-store.ts'

const everyMs = 5_000

/** Reports to the other instances, through the database, that this one is running. */
export interface Heartbeat {
  readonly id: string
  /** Reports once. Throws if the database fails. */
  send(): Promise<unknown>
  /** Reports at intervals from now on. */
  start(): void
  /** Stops the reports, and removes this instance from the list. */
  close(): Promise<void>
}

/** Creates the heartbeat of this instance. */
export function createHeartbeat({
  db,
  log,
  liveMirror,
  instanceId: id,
}: Pick<Deps, 'db' | 'log' | 'liveMirror' | 'instanceId'>): Heartbeat {
  let timer: NodeJS.Timeout | undefined
  let sending: Promise<unknown> = Promise.resolve()

  const send = () =>
    writeHeartbeat(db, {
      id,
      version,
      uptimeMs: process.uptime() * 1_000,
      leadsGateway: liveMirror.status().isLeader,
    })
  const ignoreOutage = (error: unknown) => {
    if (!(error instanceof DatabaseUnavailable)) log.error({ err: error }, 'instance heartbeat write failed')
  }
  const sendHeartbeat = () => {
    sending = send().catch(ignoreOutage)
  }
  return {
    id,
    send,
    start() {
      sendHeartbeat()
      timer = setInterval(sendHeartbeat, everyMs)
      timer.unref()
    },
    async close() {
      clearInterval(timer)
      await sending
      if (timer) await removeInstance(db, id).catch(ignoreOutage)
    },
  }
}
