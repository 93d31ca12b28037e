import type { Connection } from './connection.ts'
import type { Hub } from './hub.ts'
import { frame, op } from './protocol.ts'
import { type GatewaySettings, resetSettings } from './settings.ts'

/** Creates `sim.gateway`, with which tests cause faults of the gateway. */
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
    /** Returns the open connections, and all sessions, including those without a connection. */
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
    /** Asks all clients to reconnect (opcode 7). */
    reconnect: () => forEach((connection) => connection.send(frame(op.reconnect))),
    /** Tells all clients that their session is invalid (opcode 9). Unless `resumable`, the sessions end. */
    invalidSession(resumable: boolean): void {
      if (!resumable) forgetSessions()
      forEach((connection) => {
        connection.session = undefined
        connection.send(frame(op.invalidSession, resumable))
      })
    },
    /** Ends all sessions without telling the clients. Each later resume receives opcode 9 with `false`. */
    forgetSessions: () => sessions.clear(),
    /** Keeps the current connections open but silent: sends neither heartbeat acknowledgments nor events. */
    freeze: () =>
      forEach((connection) => {
        connection.isFrozen = true
      }),
    thaw: () =>
      forEach((connection) => {
        connection.isFrozen = false
      }),
    /** Sends no HELLO on new connections. */
    noHello: (on = true) => set({ isSilentAtStart: on }),
    /** Does not respond when a client resumes (opcode 6). */
    ignoreResume: (on = true) => set({ ignoresResume: on }),
    /** Ends each new session at once, instead of READY or right after it. */
    endSessions: (when: GatewaySettings['endsSessions']) => set({ endsSessions: when }),
    /** Sets how many IDENTIFYs remain until the count of the day is reset. */
    leaveSessionStarts: (remaining: number, resetAfterMs?: number) =>
      platform.sessionStarts.leave(remaining, resetAfterMs),
    /** Returns the number of remaining IDENTIFYs today. */
    sessionStartsLeft: () => platform.sessionStarts.state().remaining,
    /** Recommends this number of shards to new clients. */
    recommendShards: (count: number) => platform.sessionStarts.recommend(count),
    /** Refuses new connections for this many milliseconds. */
    refuse: (ms: number) => set({ refusesUntil: platform.clock.now() + ms }),
    delayDispatches: (ms: number) => set({ delayMs: ms }),
    duplicateDispatches: (on = true) => set({ isDoubled: on }),
    /** Drops the next `count` events. */
    loseDispatches: (count: number) => set({ toLose: count }),
    /** Swaps events in pairs. */
    reorderDispatches: (on = true) => set({ isReordered: on }),
    setHeartbeatInterval: (ms: number) => set({ heartbeatIntervalMs: ms }),
    setSessionLifetime: (ms: number) => set({ sessionLifetimeMs: ms }),
    /**
     * Sets the developer portal's switch for the member intent. When off, IDENTIFY fails with 4014, and lists with 403.
     */
    setMemberIntent(on: boolean): void {
      platform.world.application.memberIntent = on
    },
    /** Removes all faults, sessions, and connections, so clients start again. */
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
