import { DatabaseUnavailable } from '#platform/db/database'
import { version } from '#platform/version'
import type { Deps } from '../../deps.ts'
import { removeInstance, writeHeartbeat } from './instances-store.ts'

const everyMs = 5_000

/** Reports to the other instances that this one is running. */
export interface Heartbeat {
  readonly id: string
  /** Reports once, now. */
  send(): Promise<unknown>
  /** Reports at intervals from now on. */
  start(): void
  /** Reports that this instance stops. */
  close(): Promise<void>
}

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
