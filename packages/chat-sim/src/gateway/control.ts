import type { Connection } from './connection.ts'
import type { Hub } from './hub.ts'
import { frame, op } from './protocol.ts'
import { type GatewaySettings, resetSettings } from './settings.ts'

/** The test's door to gateway misbehaviour: `sim.gateway`. */
export function gatewayControl(hub: Hub) {
  const { settings, connections, sessions, platform } = hub
  const forEach = (act: (connection: Connection) => void) => {
    for (const connection of [...connections]) act(connection)
  }
  const forgetSessions = () => {
    forEach(({ session }) => {
      if (session) session.send = undefined
    })
    sessions.clear()
  }

  return {
    /** Open connections, and the sessions that exist, also without one. */
    state: () => ({
      connections: connections.size,
      sessions: [...sessions.values()].map(({ id, intents, seq, shard, lostAt }) => ({
        id,
        intents,
        seq,
        shard,
        isConnected: lostAt === undefined,
      })),
    }),
    /** Cuts every TCP connection. Sessions stay and can be resumed. */
    dropAll: () => forEach(({ socket }) => socket.terminate()),
    close: (code: number) => forEach((connection) => connection.close(code)),
    /** Opcode 7: asks clients to come back on a new connection. */
    reconnect: () => forEach((connection) => connection.send(frame(op.reconnect))),
    /** Opcode 9. Not resumable means that the sessions are gone. */
    invalidSession(resumable: boolean): void {
      if (!resumable) forgetSessions()
      forEach((connection) => {
        connection.session = undefined
        connection.send(frame(op.invalidSession, resumable))
      })
    },
    /** Coming back is answered with opcode 9 false from now on; connections stay as they are. */
    forgetSessions: () => sessions.clear(),
    /** Present connections stay open and say nothing more: no heartbeat is answered, no event is sent. */
    freeze: () =>
      forEach((connection) => {
        connection.isFrozen = true
      }),
    thaw: () =>
      forEach((connection) => {
        connection.isFrozen = false
      }),
    /** New connections get no HELLO. */
    noHello: (on = true) => set({ isSilentAtStart: on }),
    /** Opcode 6 gets no answer. */
    ignoreResume: (on = true) => set({ ignoresResume: on }),
    /** Each new session ends at once: in place of READY, or right after it. */
    endSessions: (when: GatewaySettings['endsSessions']) => set({ endsSessions: when }),
    /** So many IDENTIFYs are left until the day's count begins anew. */
    leaveSessionStarts: (remaining: number, resetAfterMs?: number) =>
      platform.sessionStarts.leave(remaining, resetAfterMs),
    /** How many IDENTIFYs are left today. */
    sessionStartsLeft: () => platform.sessionStarts.state().remaining,
    /** Asks clients that come from now on for so many shards. */
    recommendShards: (count: number) => platform.sessionStarts.recommend(count),
    /** New connections are refused for a time. */
    refuse: (ms: number) => set({ refusesUntil: platform.clock.now() + ms }),
    delayDispatches: (ms: number) => set({ delayMs: ms }),
    duplicateDispatches: (on = true) => set({ isDoubled: on }),
    /** Nobody hears of the next `count` events. */
    loseDispatches: (count: number) => set({ toLose: count }),
    /** Events change places in pairs. */
    reorderDispatches: (on = true) => set({ isReordered: on }),
    setHeartbeatInterval: (ms: number) => set({ heartbeatIntervalMs: ms }),
    setSessionLifetime: (ms: number) => set({ sessionLifetimeMs: ms }),
    /** The developer portal's switch for the member intent: 4014 and 403 when off. */
    setMemberIntent(on: boolean): void {
      platform.world.application.memberIntent = on
    },
    /** Well behaved again; every session is gone and every connection cut, so that clients start afresh. */
    reset(): void {
      resetSettings(settings)
      forgetSessions()
      forEach(({ socket }) => socket.terminate())
    },
  }

  function set(change: Partial<GatewaySettings>): void {
    Object.assign(settings, change)
  }
}

export type GatewayControl = ReturnType<typeof gatewayControl>
