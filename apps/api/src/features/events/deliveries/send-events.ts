import type { Answered, Post } from '#platform/outbound/create-post'
import { persistently } from '#platform/queue-workers'
import { version } from '#platform/version'
import type { Deps } from '../../../deps.ts'
import { type Position, toEventId } from '../position.ts'
import {
  dropWaiting,
  type Endpoint,
  type Held,
  holdEndpoint,
  listWaiting,
  releaseEndpoint,
  type WaitingEvent,
} from './queue-store.ts'
import { giveUpStale, settle } from './settle-event.ts'
import { signEvent } from './sign-event.ts'

/** Requests to one receiver at once, each for another member. */
const maxAtOnce = 4
/** Rows that are in memory at once, for each endpoint that is worked on. */
const batchSize = 100
/** An endpoint goes to the end of the line after so long: others have events, too. */
const maxRunMs = 5_000

/** A signing secret as it was sealed for a project; undefined where it cannot be read. */
export type OpenSecret = (projectId: string, sealed: Uint8Array) => string | undefined

export type SendDeps = Pick<Deps, 'db' | 'audit' | 'answers'> & {
  readonly post: Post
  readonly openSecret: OpenSecret
}

type On = Endpoint & { readonly url: string }

/** How far the work on one endpoint has come. */
interface Run {
  readonly held: Held
  readonly signal: AbortSignal
  readonly deadline: number
  /** Members whose events wait for a try that is not due. */
  readonly heldBack: Set<string>
  after: Position
  /** Something was tried, or settled without a try. */
  didAnything: boolean
  isStopped: boolean
}

const mayGoOn = ({ isStopped, signal, deadline }: Run) =>
  !isStopped && !signal.aborted && performance.now() < deadline

/**
 * Sends the events of one endpoint, those of each member in their order. An event that fails holds back the later ones of
 * its member until it has been delivered or is given up, and makes the endpoint pause: a receiver that fails is asked for
 * one event at a time.
 */
export async function sendEvents(deps: SendDeps, held: Held, signal: AbortSignal): Promise<void> {
  const run: Run = {
    ...{ held, signal, deadline: performance.now() + maxRunMs, heldBack: new Set() },
    ...{ after: { xid: 0n, id: 0 }, didAnything: false, isStopped: false },
  }
  while (mayGoOn(run)) {
    const endpoint = await holdEndpoint(deps.db, held)
    if (!endpoint) return
    const { url } = endpoint
    const isMore = url === null ? await drop(deps, run) : await sendBatch(deps, run, { ...endpoint, url })
    if (!isMore) break
  }
  await releaseEndpoint(deps.db, held, !run.didAnything && !signal.aborted)
}

/** True while there may be more. */
async function drop({ db }: SendDeps, run: Run): Promise<boolean> {
  const why = 'Nothing is sent to this project: it has no address, or it is switched off.'
  const dropped = await dropWaiting(db, run.held.projectId, why)
  if (dropped > 0) run.didAnything = true
  return dropped > 0
}

/** Sends the next events; true while there may be more. */
async function sendBatch(deps: SendDeps, run: Run, endpoint: On): Promise<boolean> {
  const batch = await listWaiting(deps.db, run.held.projectId, run.after, batchSize)
  const last = batch.at(-1)
  if (!last) return false
  run.after = { xid: BigInt(last.xid), id: last.eventId }
  if (batch.some(({ isTooOld }) => isTooOld) && (await giveUpStale(deps, run.held, endpoint)) > 0)
    run.didAnything = true
  // Whoever is told of a change may rely on it everywhere.
  await deps.answers.confirm()
  const heldAt = performance.now()
  const members = byMember(batch.filter(({ isTooOld }) => !isTooOld)).entries()
  const isProbe = endpoint.failures > 0
  const worker = async () => {
    for (const [member, events] of members) {
      for (const event of events) {
        if (!mayGoOn(run) || run.heldBack.has(member)) break
        if (!event.isDue) {
          run.heldBack.add(member)
          break
        }
        run.didAnything = true
        if (isProbe) run.isStopped = true
        if (!(await send(deps, run, endpoint, event, heldAt))) run.isStopped = true
      }
    }
  }
  // Wait for every worker, also after a failure: the claim must not be given back while one still sends.
  const ends = await Promise.allSettled(Array.from({ length: isProbe ? 1 : maxAtOnce }, worker))
  for (const end of ends) if (end.status === 'rejected') throw end.reason
  return true
}

/** Events in the order of the first of each member; those about nobody are in order among themselves. */
function byMember(events: readonly WaitingEvent[]): Map<string, WaitingEvent[]> {
  const lanes = new Map<string, WaitingEvent[]>()
  for (const event of events) {
    const member = event.memberId ?? ''
    const lane = lanes.get(member)
    if (lane) lane.push(event)
    else lanes.set(member, [event])
  }
  return lanes
}

/** True when the next event may follow. */
async function send(
  deps: SendDeps,
  { held, signal }: Run,
  endpoint: On,
  event: WaitingEvent,
  heldAt: number,
) {
  const answered = await postEvent(deps, held, endpoint, event, heldAt, signal)
  if (answered.isAborted) return false
  return persistently(() => settle(deps, held, endpoint, event, answered))
}

async function postEvent(
  { post, openSecret }: SendDeps,
  { projectId }: Held,
  { url, secretSealed, formerSecretSealed, nowSec }: On,
  event: WaitingEvent,
  heldAt: number,
  signal: AbortSignal,
): Promise<Answered> {
  const sealed = [secretSealed, formerSecretSealed].filter((one) => one !== null)
  const [secret, ...former] = sealed.map((one) => openSecret(projectId, one))
  if (secret === undefined) {
    const error = 'The signing secret cannot be read with this key.'
    return { status: null, error, retryAfter: undefined, tookMs: 0, isAborted: false }
  }
  const id = toEventId({ xid: BigInt(event.xid), id: event.eventId, atSec: event.atSec })
  // The time of the database, which every instance shares.
  const timestamp = Math.floor(nowSec + (performance.now() - heldAt) / 1_000)
  const body = `{"type":${JSON.stringify(event.type)},"timestamp":${JSON.stringify(event.at)},"data":${event.data}}`
  const secrets = [secret, ...former.filter((one) => one !== undefined)]
  return post(
    new URL(url),
    {
      headers: {
        'content-type': 'application/json',
        'user-agent': `Rolecall/${version}`,
        ...signEvent(secrets, { id, timestamp, body }),
      },
      body,
    },
    signal,
  )
}
