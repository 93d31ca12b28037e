import type { events } from '@rolecall/contract'
import { expect } from 'vitest'
import { credentialsIn } from './secrets.ts'

/** An open stream of events, which is read continuously. */
export interface EventReader {
  readonly status: number
  readonly events: events.Event[]
  /** The numbers of the heartbeats. */
  readonly heartbeats: number[]
  /** Returns the newest ID, even if it arrived without an event. */
  lastId(): string
  /** Returns the types of the events so far. */
  types(): string[]
  /** Resolves when the service has closed the stream. */
  readonly ended: Promise<void>
  /** Waits for the first event of this type. */
  until(type: string): Promise<events.Event>
  close(): void
}

/** Opens a stream. Resolves when its first ID has arrived. */
export async function openEvents(
  url: string,
  { key }: { key: string },
  { lastId, heartbeat }: { lastId?: string; heartbeat?: number } = {},
): Promise<EventReader> {
  const aborted = new AbortController()
  const response = await fetch(`${url}/api/events${heartbeat ? `?heartbeat=${heartbeat}` : ''}`, {
    headers: { 'x-api-key': key, ...(lastId !== undefined && { 'last-event-id': lastId }) },
    signal: aborted.signal,
  })
  if (response.status !== 200 || !response.body) throw new Error(`events answered ${response.status}`)
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
  const found: events.Event[] = []
  const heartbeats: number[] = []
  let last = ''
  const take = (frame: string) => {
    if (credentialsIn(frame).length > 0) throw new Error(`an event with a credential: ${frame}`)
    const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(frame)?.[1]
    last = field('id') ?? last
    const type = field('event')
    const heartbeat = /^: (\d+)$/m.exec(frame)?.[1]
    if (type) found.push({ id: last, type, data: JSON.parse(field('data') ?? '') } as events.Event)
    else if (heartbeat) heartbeats.push(Number(heartbeat))
  }
  const body = response.body
  const ended = (async () => {
    let text = ''
    for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
      const frames = (text + chunk).split('\n\n')
      text = frames.pop() ?? ''
      frames.forEach(take)
    }
  })()
  ended.catch(() => {})
  await expect.poll(() => last, { interval: 5 }).not.toBe('')
  return {
    status: response.status,
    events: found,
    heartbeats,
    lastId: () => last,
    types: () => found.map(({ type }) => type),
    ended,
    until: async (type) => {
      await expect.poll(() => found.map((one) => one.type), { interval: 5 }).toContain(type)
      return found.find((one) => one.type === type) as events.Event
    },
    close: () => aborted.abort(),
  }
}
