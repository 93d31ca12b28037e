import type { AuditEvent } from '#audit/event'
import type { Attempt, DeliveryKind, Ending, Message } from '#deliveries/kind'
import type { Answered, Post } from '#platform/outbound/create-post'
import { version } from '#platform/version'
import type { Deps } from '../../deps.ts'
import { disableEndpoint, type Endpoint, findEndpoint } from './endpoint-store.ts'
import { toEventId } from './position.ts'
import { signEvent } from './sign-event.ts'

/** The longest pause that a receiver can request with `Retry-After`, in seconds. */
const maxRetryAfterSec = 60 * 60

type EventKindDeps = Pick<Deps, 'db' | 'answers'> & {
  readonly post: Post
  /** Decrypts a signing secret of a project. Returns undefined if the encryption key is missing or wrong. */
  readonly openSecret: (projectId: string, sealed: Uint8Array) => string | undefined
}

type EnabledEndpoint = Endpoint & { readonly url: string }

/**
 * Delivers events to the webhooks of projects, in the format of Standard Webhooks. The events about one member are sent
 * in order.
 */
export const createEventKind = (deps: EventKindDeps): DeliveryKind => ({
  name: 'event',
  ordering: 'member',
  maxWaitHours: 72,
  disablesSilent: true,
  async open(projectId) {
    // A receiver that gets an event may call any instance, so every instance must have applied the change first.
    await deps.answers.confirm()
    const endpoint = await findEndpoint(deps.db, projectId)
    if (!endpoint?.url)
      return {
        closed: 'The project has no address for events, or Rolecall has disabled delivery to this address.',
      }
    const enabled = { ...endpoint, url: endpoint.url }
    const secrets = openSecrets(deps, projectId, endpoint)
    return {
      send: (message, nowSec, signal) => sendEvent(deps, enabled.url, secrets, message, nowSec, signal),
      disable: async (tx) => (await disableEndpoint(tx, projectId, enabled.url)) > 0,
      entryOf: (ending) => entryOf(projectId, enabled, ending),
    }
  },
})

/** Returns the secrets that sign events. Returns an empty list if the current secret cannot be read. */
function openSecrets(
  { openSecret }: EventKindDeps,
  projectId: string,
  { secretSealed, formerSecretSealed }: Endpoint,
): readonly string[] {
  const sealed = [secretSealed, formerSecretSealed].filter((one) => one !== null)
  const [secret, ...former] = sealed.map((one) => openSecret(projectId, one))
  return secret === undefined ? [] : [secret, ...former.filter((one) => one !== undefined)]
}

/** Sends one event. Signs it with each secret at the time of the attempt. */
async function sendEvent(
  { post }: EventKindDeps,
  url: string,
  secrets: readonly string[],
  { xid, place, atSec, type, at, data }: Message,
  nowSec: number,
  signal: AbortSignal,
): Promise<Attempt> {
  if (secrets.length === 0)
    return { outcome: 'failed', status: null, error: 'The signing secret cannot be read with this key.' }
  const id = toEventId({ xid: BigInt(xid), id: place, atSec })
  const body = `{"type":${JSON.stringify(type)},"timestamp":${JSON.stringify(at)},"data":${data}}`
  const headers = {
    'content-type': 'application/json',
    'user-agent': `Rolecall/${version}`,
    ...signEvent(secrets, { id, timestamp: Math.floor(nowSec), body }),
  }
  return toAttempt(await post(new URL(url), { headers, body }, signal))
}

/** Converts the receiver's response. Status 410 disables the webhook. */
function toAttempt({ status, error, retryAfter, isAborted }: Answered): Attempt {
  if (isAborted) return { outcome: 'aborted', status, error }
  if (status === null) return { outcome: 'failed', status, error }
  if (status >= 200 && status < 300) return { outcome: 'delivered', status, error: null }
  const isRedirect = status >= 300 && status < 400
  const problem = `The receiver returned status ${status}${isRedirect ? '; redirects are not followed' : ''}.`
  if (status === 410) return { outcome: 'gone', status, error: problem }
  return { outcome: 'failed', status, error: problem, pauseMs: retryAfterMs(retryAfter) }
}

/** Parses `Retry-After` if it is in seconds. Ignores a date, because the receiver's clock is unknown. */
const retryAfterMs = (header: string | undefined) =>
  header !== undefined && /^\d{1,9}$/.test(header) ? Math.min(Number(header), maxRetryAfterSec) * 1_000 : 0

/** Builds the audit entry for events that are no longer sent, by the reason. */
function entryOf(projectId: string, { projectName, url }: EnabledEndpoint, ending: Ending): AuditEvent {
  const { reason: why, count, error } = ending
  const disabled = `Events of ${projectName} are no longer sent to ${new URL(url).origin}`
  const events = count === 1 ? `An event of ${projectName}` : `${count} events of ${projectName}`
  const common = {
    actionType: 'webhook',
    target: { type: 'project', id: projectId, name: projectName },
  } as const
  const giveUpEntry = { ...common, action: 'events.give-up', severity: 'error' } as const
  const disable = { ...common, action: 'events.disable' }
  switch (why) {
    case 'gone':
      return {
        ...disable,
        severity: 'warning',
        summary: `${disabled}. ${error}`,
      }
    case 'silent':
      return {
        ...disable,
        severity: 'error',
        summary: `${disabled}: it accepted nothing for 24 hours. ${error}`,
      }
    case 'stale':
      return { ...giveUpEntry, summary: `${events} waited for 72 hours and were discarded.` }
    default:
      return { ...giveUpEntry, summary: `${events} could not be delivered for 24 hours. ${error}` }
  }
}
