import type { Platform } from '../platform.ts'
import type { Connection } from './connection.ts'
import { createDelivery } from './delivery.ts'
import { type GatewayEvent, toEvent } from './events.ts'
import { isOnShard, type Session } from './session.ts'
import { createSettings } from './settings.ts'

/** Creates the shared state of all connections: the sessions, and the delivery of changes to them. */
export function createHub(platform: Platform) {
  const { world, clock } = platform
  const settings = createSettings()
  const sessions = new Map<string, Session>()
  const connections = new Set<Connection>()

  function isExpired({ lostAt }: Session): boolean {
    return lostAt !== undefined && clock.now() - lostAt > settings.sessionLifetimeMs
  }

  function deliver(event: GatewayEvent): void {
    let data: string | undefined
    for (const session of sessions.values()) {
      if (isExpired(session)) sessions.delete(session.id)
      else if (isSubscribed(session, event)) {
        data ??= JSON.stringify(event.data())
        session.dispatch(event.type, data)
      }
    }
  }

  const delivery = createDelivery(settings, deliver)
  const stop = world.changes.subscribe((change) => {
    if (sessions.size === 0) return
    const event = toEvent(world, change)
    if (event) delivery(event)
  })

  return {
    platform,
    settings,
    sessions,
    connections,
    stop,
    findSession(id: string): Session | undefined {
      const session = sessions.get(id)
      if (!session || !isExpired(session)) return session
      sessions.delete(id)
      return undefined
    },
    /** Returns true if an IDENTIFY is allowed now, and counts it. */
    allowsIdentify(): boolean {
      if (platform.sessionStarts.state().remaining === 0) return false
      platform.sessionStarts.note()
      return true
    },
  }
}

export type Hub = ReturnType<typeof createHub>

const isSubscribed = (session: Session, event: GatewayEvent): boolean =>
  (event.intent === 0 || (session.intents & event.intent) !== 0) &&
  (event.guildId === undefined || isOnShard(event.guildId, session.shard))
