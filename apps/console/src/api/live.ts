import type { AdminEndpoints, AdminQuestion } from '@rolecall/sdk/admin'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { admin } from './admin.ts'
import { noteData, silentMs, stopSilenceTimer } from './silence.ts'
import { linesOf } from './stream-lines.ts'

/**
 * Updates the screen without a reload, when the service reports a change. Browsers open only six connections to an
 * origin. So one tab holds the stream, and forwards its events to the others. Without a stream, the screen is refetched
 * every `pollMs`. Does not use `EventSource`: it hides heartbeats, so a dead connection would look like an idle one.
 */
const streamAddress = admin.address('streamAdminEvents')
const pollMs = 15_000
/**
 * The pause before the first reconnection. It is random, so that clients of a lost instance do not all return at once.
 */
const firstPauseMs = 500 + Math.random() * 500
const channelName = 'rolecall-live'
/** The minimum time between two refetches, in milliseconds, because events come in bursts. */
const settleMs = 1_000

type EventName = keyof AdminEndpoints['streamAdminEvents']['answer']['events']

/**
 * The queries that each event makes stale. `everything` is for an entry of the audit log, which can be about any
 * change.
 */
const about: Readonly<Record<EventName, 'everything' | readonly AdminQuestion[]>> = {
  'audit.appended': 'everything',
  reset: 'everything',
  'members.changed': [
    'listMembers',
    'listCrossServerMembers',
    'listMemberServers',
    'listServers',
    'listProjectSessions',
    'listMemberSessions',
    'listMemberHistory',
  ],
  'sync.changed': ['listServers', 'listMembers', 'listAttention'],
  'delivery.changed': ['listEventDeliveries', 'listDeliveries', 'listAttention'],
  'health.changed': ['systemHealth', 'listAttention'],
}
const isEventName = (name: string): name is EventName => Object.hasOwn(about, name)
/** The message, besides events, with which the tab that holds the stream tells the others that it is alive. */
const aliveMessage = 'alive'

/** Notifies the other tabs that the session has changed, so that they refetch everything with the new one. */
export function announceSession(): void {
  const channel = new BroadcastChannel(channelName)
  const name: EventName = 'reset'
  channel.postMessage(name)
  channel.close()
}

/**
 * Keeps the screen up to date while the component is mounted. Owners of projects may not read the stream, so without
 * it, each visible tab refetches the screen every `pollMs`.
 */
export function useLive(hasStream: boolean): void {
  const client = useQueryClient()
  useEffect(() => {
    const ending = new AbortController()
    const changed = new Set<EventName>()
    const refresh = createSettled(() => {
      const names = [...changed]
      changed.clear()
      const questions = names.map((name) => about[name])
      if (questions.includes('everything')) void client.invalidateQueries()
      else {
        const asked = new Set<unknown>(questions.flat())
        void client.invalidateQueries({ predicate: ({ queryKey }) => asked.has(queryKey[0]) })
      }
    })
    const take = (name: EventName) => {
      changed.add(name)
      refresh()
    }
    const channel = new BroadcastChannel(channelName)
    channel.onmessage = ({ data }: MessageEvent<string>) => {
      if (isEventName(data)) take(data)
      if (hasStream && data === aliveMessage) noteData()
    }
    const onEvent = (name: EventName) => {
      channel.postMessage(name)
      take(name)
    }
    const onData = () => {
      channel.postMessage(aliveMessage)
      noteData()
    }
    const { signal } = ending
    if (hasStream) {
      noteData()
      navigator.locks
        .request(channelName, { signal }, () => holdStream({ onEvent, onData }, signal))
        .catch(() => {})
    } else {
      const timer = setInterval(() => document.visibilityState === 'visible' && take('reset'), pollMs)
      signal.addEventListener('abort', () => clearInterval(timer))
    }
    return () => {
      ending.abort()
      channel.close()
      stopSilenceTimer()
    }
  }, [client, hasStream])
}

interface StreamHandlers {
  readonly onEvent: (name: EventName) => void
  /** Called for all data that arrives, including heartbeats. */
  readonly onData: () => void
}

/** Holds the stream across lost connections until `ending` aborts. Then it resolves, and another tab can take over. */
async function holdStream(handlers: StreamHandlers, ending: AbortSignal): Promise<void> {
  const place: Place = { lastId: undefined }
  let failures = 0
  while (!ending.aborted) {
    const end = await readStream(handlers, place, ending)
    if (ending.aborted) return
    failures = end === 'ended' ? 0 : failures + 1
    await pause(end === 'refused' ? pollMs : Math.min(pollMs, firstPauseMs * 2 ** failures), ending)
    // Polls only after a refusal or a second failure. After one lost connection, the next one resumes without a gap.
    const isWithout = end === 'refused' || failures > 1
    if (isWithout && !ending.aborted && document.visibilityState === 'visible') handlers.onEvent('reset')
  }
}

/** The last event ID, from which the next connection resumes. */
interface Place {
  lastId: string | undefined
}

/** Reads one connection until it ends. Closes it if nothing arrives for `silentMs`. */
async function readStream(
  { onEvent, onData }: StreamHandlers,
  place: Place,
  ending: AbortSignal,
): Promise<'ended' | 'refused' | 'lost'> {
  const connection = new AbortController()
  const { signal } = connection
  const giveUp = () => connection.abort()
  ending.addEventListener('abort', giveUp, { signal })
  let silence = setTimeout(giveUp, silentMs)
  try {
    const response = await fetch(streamAddress, {
      signal,
      headers: {
        accept: 'text/event-stream',
        ...(place.lastId !== undefined && { 'last-event-id': place.lastId }),
      },
    })
    if (!response.ok || !response.body) return 'refused'
    const lines = linesOf(response.body, () => {
      clearTimeout(silence)
      silence = setTimeout(giveUp, silentMs)
      onData()
    })
    for await (const line of lines) {
      const [, field, value = ''] = /^(id|event): (.*)$/.exec(line) ?? []
      if (field === 'id') place.lastId = value
      else if (field === 'event' && isEventName(value)) onEvent(value)
    }
    return 'ended'
  } catch {
    return 'lost'
  } finally {
    clearTimeout(silence)
    connection.abort()
  }
}

/** Resolves after this time, or when `ending` aborts. */
const pause = (ms: number, ending: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    ending.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })

/** Returns a function that calls `run` at most once in `settleMs`, and always after the last call. */
function createSettled(run: () => void): () => void {
  let isWaiting = false
  return () => {
    if (isWaiting) return
    isWaiting = true
    setTimeout(() => {
      isWaiting = false
      run()
    }, settleMs)
  }
}
