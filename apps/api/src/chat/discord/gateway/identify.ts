import { setTimeout as sleep } from 'node:timers/promises'
import { backOffMs } from '#platform/async'
import type { ChatGatewayListener, SessionBeginnings } from '../../chat-gateway.ts'
import { describeClose } from './refusals.ts'

/**
 * The time between two new sessions in a lane. Discord permits one in 5 s per lane, and states the number of lanes
 * (`max_concurrency`).
 */
export const identifyEveryMs = 5_500

/** The pauses between new sessions, in milliseconds. */
export interface IdentifyTiming {
  readonly identifyEveryMs: number
  /** If Discord ends a session before this time, the session has failed. */
  readonly minSessionMs: number
  /** The longest pause between two sessions that fail. */
  readonly maxIdentifyPauseMs: number
}

const recordAgainAfterMs = 1_000
/**
 * If fewer sessions than this are left, the pauses become longer, until they are evenly spread over the time until
 * Discord's reset.
 */
const fewSessions = 200

/** A pause before a new session. */
export interface IdentifyDelay {
  readonly pauseMs: number
  /** The reason for a long pause, and the fix. Null for a short one. */
  readonly problem: string | null
  /** Discord's close code for the last session, if that is the reason. */
  readonly closeCode: number | null
}

/** Discord's limit of new sessions (`session_start_limit` in the response of `GET /gateway/bot`). */
export interface SessionStartLimit {
  readonly remaining: number
  readonly reset_after: number
}

/** Decides when a shard may begin a new session (IDENTIFY). */
export interface IdentifyThrottle {
  /**
   * Sets the number of sessions that are left, as Discord has reported it. Discord resets the token of a bot that
   * begins more.
   */
  setLimit(limit: SessionStartLimit): void
  /** Returns the number of sessions that are left. Returns undefined if Discord has not reported it yet. */
  remaining(): number | undefined
  /** Continues from a record of this age, which this or another instance has made. */
  restore(known: SessionBeginnings, ageMs: number): void
  /** Records that Discord has ended the shard's session. If that was too soon, the session has failed. */
  recordEnd(shard: number, closeCode: number): void
  /** Waits until this shard may begin a session, and counts the session. */
  waitForTurn(turn: IdentifyRequest, signal: AbortSignal): Promise<void>
}

/** The request of a shard for a new session. */
export interface IdentifyRequest {
  readonly shard: number
  readonly lane: number
  /** Called before each pause. */
  readonly delayed: (delay: IdentifyDelay) => void
  /** Stores the current state for the next leader. The session begins only after that succeeds. */
  readonly record: ChatGatewayListener['beforeSession']
}

interface Shard {
  /**
   * The time at which the last session was requested. Undefined if the end of that session has already been counted.
   */
  identifiedAt: number | undefined
  failures: number
  notBefore: number
  lastCloseCode: number | undefined
}

/**
 * Creates the throttle for new sessions, which several connections use one after another. It adds pauses for three
 * reasons: the interval of a lane, sessions of a shard that have failed in a row, and the daily limit. Only a session
 * that Discord has ended counts as failed. If the network, a restart, or a new leader has ended it, the next session
 * need not wait. The throttle of the library would not be enough: it forgets everything with each connection, has no
 * back-off, and identifies even if the connection is lost while it waits.
 */
export function createIdentifyThrottle(
  timing: IdentifyTiming,
  now = () => performance.now(),
): IdentifyThrottle {
  const laneFreeAt = new Map<number, number>()
  const shards = new Map<number, Shard>()
  /** The number of sessions that Discord has reported, minus those begun since, and the time of its reset. */
  let starts: { remaining: number; resetAt: number } | undefined

  const shardOf = (id: number): Shard => {
    const known = shards.get(id) ?? {
      identifiedAt: undefined,
      failures: 0,
      notBefore: 0,
      lastCloseCode: undefined,
    }
    shards.set(id, known)
    return known
  }
  /**
   * Counts the end of the last session. Returns whether the session has lasted long enough, or undefined if its end was
   * already counted.
   */
  const countEnd = (shard: Shard): boolean | undefined => {
    if (shard.identifiedAt === undefined) return undefined
    const lasted = now() - shard.identifiedAt >= timing.minSessionMs
    shard.identifiedAt = undefined
    if (lasted) shard.failures = 0
    return lasted
  }
  const countFailure = (shard: Shard, closeCode: number) => {
    if (countEnd(shard) !== false) return
    shard.lastCloseCode = closeCode
    shard.failures += 1
    if (shard.failures < 2) return
    const pauses = { firstMs: timing.identifyEveryMs, maxMs: timing.maxIdentifyPauseMs }
    shard.notBefore = now() + backOffMs(shard.failures, pauses)
  }
  const resetAt = () => (starts && starts.remaining <= 0 ? starts.resetAt : 0)
  /**
   * Returns when a lane is free. If few sessions are left, they are spread over the rest of the day: sessions that our
   * network ends are not failures, but Discord counts them. This is computed for every wait, so that a new number from
   * Discord replaces the old pauses.
   */
  const nextFreeAt = (lane: number): number => {
    const freeAt = laneFreeAt.get(lane)
    if (freeAt === undefined) return 0
    if (!starts || starts.remaining >= fewSessions) return freeAt
    const spreadMs = (starts.resetAt - now()) / (starts.remaining + 1)
    const limitMs = timing.maxIdentifyPauseMs * (1 - starts.remaining / fewSessions)
    return Math.max(freeAt, freeAt - timing.identifyEveryMs + Math.min(spreadMs, limitMs))
  }
  const delayOf = (shard: Shard, lane: number, pauseMs: number): IdentifyDelay => {
    const short = { pauseMs, problem: null, closeCode: null }
    if (pauseMs <= 2 * timing.identifyEveryMs) return short
    if (resetAt() > Math.max(shard.notBefore, nextFreeAt(lane))) {
      return {
        ...short,
        problem: 'Discord allows no more new gateway sessions until its daily count resets.',
      }
    }
    if (nextFreeAt(lane) > shard.notBefore) {
      return { ...short, problem: 'Few new gateway sessions are left today, so Rolecall spaces them.' }
    }
    const code = shard.lastCloseCode
    const ended = `Discord ended the last ${shard.failures} gateway sessions early`
    if (code === undefined) return { ...short, problem: `${ended}.` }
    return { ...short, problem: `${ended}: ${describeClose(code)}`, closeCode: code }
  }

  const snapshot = (): SessionBeginnings => ({
    lanes: [...laneFreeAt].map(([lane, freeAt]) => ({ lane, freeInMs: freeAt - now() })),
    shards: [...shards].map(([shard, { identifiedAt, failures, notBefore, lastCloseCode }]) => ({
      shard,
      begunAgoMs: identifiedAt === undefined ? null : now() - identifiedAt,
      failures,
      notBeforeMs: notBefore - now(),
      ...(lastCloseCode !== undefined && { lastCloseCode }),
    })),
    left: starts ? { remaining: starts.remaining, resetInMs: starts.resetAt - now() } : null,
  })
  /** Records that the shard requests a session now. */
  const countSession = (shard: Shard, lane: number) => {
    laneFreeAt.set(lane, now() + timing.identifyEveryMs)
    shard.identifiedAt = now()
  }

  return {
    restore({ lanes, shards: others, left }, ageMs) {
      const then = now() - ageMs
      for (const { lane, freeInMs } of lanes) laneFreeAt.set(lane, then + freeInMs)
      for (const { shard, begunAgoMs, failures, notBeforeMs, lastCloseCode } of others) {
        const identifiedAt = begunAgoMs === null ? undefined : then - begunAgoMs
        shards.set(shard, { identifiedAt, failures, notBefore: then + notBeforeMs, lastCloseCode })
      }
      if (left) starts = { remaining: left.remaining, resetAt: then + left.resetInMs }
    },
    setLimit({ remaining, reset_after }) {
      starts = { remaining, resetAt: now() + reset_after }
    },
    remaining: () => starts?.remaining,
    recordEnd: (id, closeCode) => countFailure(shardOf(id), closeCode),
    async waitForTurn({ shard: id, lane, delayed, record }, signal) {
      const shard = shardOf(id)
      countEnd(shard)
      for (;;) {
        const waitMs = Math.max(nextFreeAt(lane), shard.notBefore, resetAt()) - now()
        if (waitMs <= 0) break
        delayed(delayOf(shard, lane, waitMs))
        // Timers overflow at 2^31 ms, and round down.
        await sleep(Math.min(Math.ceil(waitMs), 60_000), undefined, { signal })
        // At the reset, Discord renews the limit. The next request to Discord returns the new number.
        if (starts && starts.remaining <= 0 && now() >= starts.resetAt) starts = undefined
      }
      countSession(shard, lane)
      if (starts) starts.remaining -= 1
      // The session is recorded before it begins. So the next leader counts it even if this process crashes.
      while (!(await isFulfilled(record(snapshot())))) {
        await sleep(recordAgainAfterMs, undefined, { signal })
        countSession(shard, lane)
      }
      signal.throwIfAborted()
    },
  }
}

const isFulfilled = (promise: Promise<void>) =>
  promise.then(
    () => true,
    () => false,
  )
