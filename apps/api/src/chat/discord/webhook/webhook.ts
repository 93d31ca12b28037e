import { RESTJSONErrorCodes } from 'discord-api-types/v10'
import { readAnswer } from '#platform/outbound/read-answer'
import type { ChatPost, PostToWebhook } from '../../chat-webhook.ts'
import { userAgent } from '../user-agent.ts'
import { toEmbed } from './webhook-message.ts'

/** The longest wait for a response, including its body. */
const deadlineMs = 5_000
/** The maximum number of bytes that are read of a response. Nothing in a longer one matters. */
const maxBytes = 64 * 1024

/**
 * Posts a message with `wait`: without it, Discord also accepts messages that it then fails to store. The status
 * decides about the result. The body is read only for its error code and for the pause.
 */
export const postToDiscordWebhook: PostToWebhook = async (url, message, signal) => {
  const deadline = AbortSignal.timeout(deadlineMs)
  const either = AbortSignal.any([signal, deadline])
  try {
    const response = await fetch(`${url}?wait=true`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': userAgent },
      body: JSON.stringify(toEmbed(message)),
      redirect: 'manual',
      signal: either,
    })
    return outcomeOf(response, await readJson(response, either))
  } catch {
    if (signal.aborted) return { outcome: 'aborted', status: null, error: null }
    // The error is not included, because it may contain the address.
    const error = deadline.aborted
      ? `No response within ${deadlineMs / 1_000} s.`
      : 'The receiver could not be reached.'
    return { outcome: 'failed', status: null, error }
  }
}

/** The fields of an error response that matter here. */
interface ErrorBody {
  readonly code?: unknown
  readonly retry_after?: unknown
  readonly global?: unknown
}

function outcomeOf({ status, headers, ok }: Response, body: ErrorBody | undefined): ChatPost {
  const code = typeof body?.code === 'number' && body.code !== 0 ? ` ${body.code}` : ''
  const failure = { status, error: `Discord returned status ${status}${code}.` }
  if (ok) return { outcome: 'delivered', status, error: null, pauseMs: pauseAfter(headers) }
  if (status === 401 || status === 404 || body?.code === RESTJSONErrorCodes.UnknownWebhook) {
    return { outcome: 'gone', ...failure }
  }
  if (status === 429) {
    // A 429 without JSON comes from Discord's edge, which counts per IP address and not per webhook.
    const isGlobal = body === undefined || body.global === true || headers.has('x-ratelimit-global')
    return { outcome: 'limited', ...failure, pauseMs: retryAfter(headers, body), isGlobal }
  }
  // Only Discord itself sends JSON. An HTML page comes from a proxy in front of it.
  if ([400, 413, 415, 422].includes(status) && body) return { outcome: 'refused', ...failure }
  return { outcome: 'failed', ...failure }
}

/**
 * Returns the pause in milliseconds. The header has whole seconds, and the body a fraction. The longer one is never too
 * early.
 */
function retryAfter(headers: Headers, body: ErrorBody | undefined): number | undefined {
  const waits = [Number(headers.get('retry-after') ?? Number.NaN), Number(body?.retry_after ?? Number.NaN)]
  const seconds = Math.max(...waits.filter((wait) => Number.isFinite(wait) && wait >= 0))
  return Number.isFinite(seconds) ? seconds * 1_000 : undefined
}

/** Returns the pause after the last message of a window, because Discord would refuse the next one. */
function pauseAfter(headers: Headers): number | undefined {
  if (headers.get('x-ratelimit-remaining') !== '0') return undefined
  const seconds = Number(headers.get('x-ratelimit-reset-after') ?? Number.NaN)
  return Number.isFinite(seconds) && seconds > 0 ? seconds * 1_000 : undefined
}

/** Reads a response if it is a short JSON object. Otherwise, returns undefined. */
async function readJson(response: Response, signal: AbortSignal): Promise<ErrorBody | undefined> {
  try {
    const body = await readAnswer(response, signal, maxBytes)
    const value: unknown = body && JSON.parse(body.toString('utf8'))
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}
