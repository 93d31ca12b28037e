import { setTimeout as sleep } from 'node:timers/promises'
import { textOf } from './answer.ts'
import type { SoakInstance } from './instance.ts'
import type { Project } from './ledger.ts'

/**
 * Reads `GET /api/events` for the whole run. After a lost connection, it continues at the next instance, and resumes
 * after the last event.
 */
export function followEvents(instances: readonly SoakInstance[], project: Project) {
  const seen = new Map<string, Set<string>>()
  const resets: string[] = []
  const counts = { events: 0, connections: 0 }
  const aborted = new AbortController()
  let lastId = ''

  const take = (frame: string) => {
    const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(frame)?.[1]
    lastId = field('id') ?? lastId
    const type = field('event')
    if (type === undefined) return
    counts.events += 1
    const data: unknown = JSON.parse(field('data') ?? '{}')
    if (type === 'reset') resets.push(textOf(data, 'reason'))
    const ofType = seen.get(type) ?? new Set()
    seen.set(type, ofType.add(textOf(data, 'sessionId')))
  }

  const read = async (url: string) => {
    const response = await fetch(`${url}/api/events?heartbeat=5`, {
      headers: { 'x-api-key': project.key, ...(lastId !== '' && { 'last-event-id': lastId }) },
      signal: aborted.signal,
    })
    if (!response.ok || !response.body) {
      await response.body?.cancel()
      return
    }
    counts.connections += 1
    let text = ''
    for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
      const frames = (text + chunk).split('\n\n')
      text = frames.pop() ?? ''
      frames.forEach(take)
    }
  }

  const following = (async () => {
    for (let turn = 0; !aborted.signal.aborted; turn++) {
      await read(instances[turn % instances.length]?.url ?? '').catch(() => {})
      await sleep(500, undefined, { signal: aborted.signal }).catch(() => {})
    }
  })()

  return {
    counts,
    resets,
    /** Returns true if an event of this type about the session has arrived. */
    hasTold: (type: string, sessionId: string) => seen.get(type)?.has(sessionId) ?? false,
    async stop() {
      aborted.abort()
      await following
    },
  }
}

export type EventClient = ReturnType<typeof followEvents>
