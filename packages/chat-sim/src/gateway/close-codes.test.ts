import { once } from 'node:events'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { WebSocket } from 'ws'
import { type ChatSim, demo, startChatSim } from '../index.ts'

let sim: ChatSim
beforeAll(async () => {
  sim = await startChatSim()
})
afterEach(() => sim.reset())
afterAll(() => sim.close())

const open = async (path = '/gateway?v=10&encoding=json') => {
  const socket = new WebSocket(`${sim.url.replace('http', 'ws')}${path}`)
  const received: { op: number; d: unknown; t: string }[] = []
  socket.on('message', (data) => void received.push(JSON.parse(String(data))))
  await once(socket, 'open')
  return { socket, received, say: (op: number, d: unknown) => socket.send(JSON.stringify({ op, d })) }
}
const identity = { token: demo.botToken, intents: 1, properties: {} }

it.each([
  ['4001 for an unknown opcode', [{ op: 99 }], 4001],
  ['4002 for what is no JSON', ['nonsense'], 4002],
  ['4002 for more than 4096 bytes', [{ op: 1, d: 'x'.repeat(4_096) }], 4002],
  ['4003 for a request before identify', [{ op: 8, d: {} }], 4003],
  ['4004 for a wrong token', [{ op: 2, d: { ...identity, token: 'x' } }], 4004],
  [
    '4005 for a second identify',
    [
      { op: 2, d: identity },
      { op: 2, d: identity },
    ],
    4005,
  ],
  ['4008 for more than 120 messages a minute', Array.from({ length: 121 }, () => ({ op: 1, d: null })), 4008],
  ['4010 for a shard that cannot be', [{ op: 2, d: { ...identity, shard: [1, 1] } }], 4010],
  ['4013 for intents that mean nothing', [{ op: 2, d: { ...identity, intents: 1 << 17 } }], 4013],
  ['4014 for a privileged intent that is off', [{ op: 2, d: { ...identity, intents: 1 << 8 } }], 4014],
])('closes with %s', async (_name, messages, code) => {
  const { socket } = await open()
  const closed = once(socket, 'close')
  for (const message of messages) socket.send(typeof message === 'string' ? message : JSON.stringify(message))
  expect((await closed)[0]).toBe(code)
})

it('closes with 4012 for another version', async () => {
  const { socket } = await open('/gateway?v=9')
  expect((await once(socket, 'close'))[0]).toBe(4012)
})

it('closes with 4009 when the client does not beat, and its session is gone', async () => {
  sim.gateway.setHeartbeatInterval(50)
  const { socket, say } = await open()
  say(2, identity)
  expect((await once(socket, 'close'))[0]).toBe(4009)
  expect(sim.gateway.state().sessions).toEqual([])
})

it('closes with 4007 for a sequence number that was never sent', async () => {
  const { socket, say, received } = await open()
  say(2, identity)
  await vi.waitFor(() => expect(received[1]?.t).toBe('READY'))
  const session_id = sim.gateway.state().sessions[0]?.id
  socket.terminate()
  const again = await open('/gateway/resume?v=10')
  again.say(6, { token: demo.botToken, session_id, seq: 99 })
  expect((await once(again.socket, 'close'))[0]).toBe(4007)
})

it('counts IDENTIFY messages per day', async () => {
  const { say, received } = await open()
  say(2, identity)
  await vi.waitFor(() => expect(received[1]?.t).toBe('READY'))
  const headers = { authorization: `Bot ${demo.botToken}` }
  const limits = await (await fetch(`${sim.apiUrl}/v10/gateway/bot`, { headers })).json()
  const session_start_limit = { total: 1_000, remaining: 999, max_concurrency: 1 }
  expect(limits).toMatchObject({ session_start_limit })
})

it('refuses connections for a time', async () => {
  sim.gateway.refuse(10_000)
  await expect(open()).rejects.toThrow('503')
  sim.clock.advance(10_001)
  await expect(open()).resolves.toBeDefined()
})
