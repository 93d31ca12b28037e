import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { capConnections } from './connections.ts'
import { createLifecycle } from './lifecycle.ts'
import { createServer } from './server.ts'

test('beyond the cap connections are turned away, which is one line in the log; near it answers ask to close', async () => {
  const app = createServer({ publicUrl: 'http://localhost', trustProxy: [] }, createLifecycle())
  const lines: unknown[] = []
  const { isCrowded } = capConnections(app, {
    maxConnections: 10,
    log: { warn: (line: unknown) => lines.push(line) },
  })
  const port = Number(new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port)
  const open: Socket[] = []
  const ends: Promise<unknown>[] = []
  const add = async () => {
    const arrived = once(app.server, 'connection')
    open.push(connect(port, '127.0.0.1'))
    const [socket] = (await arrived) as [Socket]
    ends.push(once(socket, 'close'))
  }
  for (let i = 0; i < 8; i++) await add()
  expect(isCrowded()).toBe(false)
  await add()
  expect(isCrowded()).toBe(true)
  await add()
  expect(lines).toEqual([])

  for (let i = 0; i < 3; i++) {
    const turnedAway = connect(port, '127.0.0.1')
    await once(
      turnedAway.on('error', () => {}),
      'close',
    )
  }
  expect(lines).toHaveLength(1)

  for (const socket of open) socket.destroy()
  await Promise.all(ends)
  expect(isCrowded()).toBe(false)
  await app.close()
})
