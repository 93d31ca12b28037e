import { expect, test } from 'vitest'
import type { ChatGateway } from '#chat/chat-gateway'
import { worldForTests } from '../../../test/world-for-tests.ts'
import { createRenewals } from './renewals.ts'
import { acquireLease } from './store.ts'

const world = worldForTests('pglite')

test('an event that arrives while earlier ones are written is not acknowledged', async () => {
  const { db, log } = world.service.deps
  const lease = await db.transaction((tx) => acquireLease(tx, true))
  let sequence = 1
  const acknowledged: number[] = []
  const gateway: ChatGateway = {
    open: () => {},
    sessions: () => [{ shard: 0, shards: 1, id: 'a session', resumeUrl: 'wss://gateway.example', sequence }],
    acknowledge: (sessions) => acknowledged.push(...sessions.map((session) => session.sequence)),
    status: () => ({ state: 'connected', problem: null, shards: 1, latencyMs: null, sessionsLeft: null }),
    maxStalenessMs: () => 0,
    close: async () => {},
  }
  const renewals = createRenewals(
    {
      ...{ db, log, gateway },
      writer: {
        servers: () => ['a server'],
        waitUntilWritten: async () => {
          sequence += 1
          return true
        },
        lagMs: () => 0,
      },
      resyncs: { complete: () => [], listAvailable: () => new Map(), setRegistered: () => {} },
      roleReads: { isBusy: () => false },
      handoverKey: undefined,
      receivedAt: () => undefined,
      leadershipLost: () => {},
    },
    lease?.epoch ?? 0,
  )
  await renewals.renew()
  expect([sequence, acknowledged]).toEqual([2, [1]])
})
