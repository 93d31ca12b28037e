import { setTimeout as sleep } from 'node:timers/promises'
import { backOffMs } from '#platform/async'
import type { ChatGatewayListener, SessionBeginnings } from '../../chat-gateway.ts'
import { describeClose } from './refusals.ts'

/** The platform allows one new session in 5 s for each of the parallel lanes that it grants. */
export const identifyEveryMs = 5_500

export interface IdentifyTiming {
  readonly identifyEveryMs: number
  /** The time after IDENTIFY before which a session that the platform ends counts as failed. */
  readonly lastingSessionMs: number
  /** The longest pause between two new sessions that fail. */
  readonly maxIdentifyPauseMs: number
}

const recordAgainAfterMs = 1_000
/** With fewer sessions left than this, pauses between new ones grow, up to an even spread over the time until the platform's reset. */
const fewSessions = 200

export interface IdentifyDelay {
  readonly pauseMs: number
  /** The reason for a long pause and its fix. */
  readonly problem: string | null
  /** The close code with which the platform ended the last session, if that is the reason. */
  readonly closeCode: number | null
}

/** The platform's limit of new sessions (`session_start_limit` of `GET /gateway/bot`). */
export interface SessionStarts {
  readonly remaining: number
  readonly reset_after: number
}

export interface IdentifyThrottle {
  /**
   * Applies the number of sessions that the platform reports as left; it resets the token of a bot that begins
   * more.
   */
  allow(starts: SessionStarts): void
  remaining(): number | undefined
  /** Applies a record of this age, made here or by another instance. */
  restore(known: SessionBeginnings, ageMs: number): void
  /** Counts the shard's last session as failed if the platform ended it soon after it began. */
  ended(shard: number, closeCode: number): void
  /** Settles when this shard may begin a session, and counts it. */
  wait(turn: Turn, signal: AbortSignal): Promise<void>
}

export interface Turn {
  readonly shard: number
  readonly lane: number
  /** Receives each pause before it begins. */
  readonly delayed: (delay: IdentifyDelay) => void
  /** Records the current state for the next leader. The session does not begin until this succeeds. */
  readonly record: ChatGatewayListener['beginning']
}

interface Shard {
  /**
   * The time at which its last session was requested; undefined once the end of that session has been accounted
   * for.
   */
  identifiedAt: number | undefined
  failures: number
  notBefore: number
  lastCloseCode: number | undefined
}

/**
 * Spaces new sessions, across successive managers: by lane, by the number of consecutive failed sessions of a shard,
 * and by the platform's daily limit. Only a session that the platform ended has failed. An end by our network, a
 * restart, or another leader does not affect the next session. The library's own throttler has no memory across
 * managers and no back-off, and identifies even if the connection is lost while it waits.
 */
export function createIdentifyThrottle(
  timing: IdentifyTiming,
  now = () => performance.now(),
): IdentifyThrottle {
  const laneFreeAt = new Map<number, number>()
  const shards = new Map<number, Shard>()
  /** The quota that the platform reported, less the sessions begun since. */
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
  /** Accounts for the end of the last session once; returns whether it lasted, or undefined if it is accounted for. */
  const accountFor = (shard: Shard): boolean | undefined => {
    if (shard.identifiedAt === undefined) return undefined
    const lasted = now() - shard.identifiedAt >= timing.lastingSessionMs
    shard.identifiedAt = undefined
    if (lasted) shard.failures = 0
    return lasted
  }
  const countFailure = (shard: Shard, closeCode: number) => {
    if (accountFor(shard) !== false) return
    shard.lastCloseCode = closeCode
    shard.failures += 1
    if (shard.failures < 2) return
    const pauses = { firstMs: timing.identifyEveryMs, maxMs: timing.maxIdentifyPauseMs }
    shard.notBefore = now() + backOffMs(shard.failures, pauses)
  }
  const resetAt = () => (starts && starts.remaining <= 0 ? starts.resetAt : 0)
  /**
   * Spreads the last sessions of the day, because sessions that our network ends are not failures, but are counted.
   * Computed for each wait, so that a new count of the platform ends the pauses of the previous count.
   */
  const laneAt = (lane: number): number => {
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
    if (resetAt() > Math.max(shard.notBefore, laneAt(lane))) {
      return {
        ...short,
        problem: 'Discord allows no more new gateway sessions until its daily count resets.',
      }
    }
    if (laneAt(lane) > shard.notBefore) {
      return { ...short, problem: 'Few new gateway sessions are left today, so Rolecall spaces them.' }
    }
    const code = shard.lastCloseCode
    const ended = `Discord ended the last ${shard.failures} gateway sessions early`
    if (code === undefined) return { ...short, problem: `${ended}.` }
    return { ...short, problem: `${ended}: ${describeClose(code)}`, closeCode: code }
  }

  const known = (): SessionBeginnings => ({
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
  const take = (shard: Shard, lane: number) => {
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
    allow({ remaining, reset_after }) {
      starts = { remaining, resetAt: now() + reset_after }
    },
    remaining: () => starts?.remaining,
    ended: (id, closeCode) => countFailure(shardOf(id), closeCode),
    async wait({ shard: id, lane, delayed, record }, signal) {
      const shard = shardOf(id)
      accountFor(shard)
      for (;;) {
        const waitMs = Math.max(laneAt(lane), shard.notBefore, resetAt()) - now()
        if (waitMs <= 0) break
        delayed(delayOf(shard, lane, waitMs))
        // Timers overflow at 2^31 ms, and round down.
        await sleep(Math.min(Math.ceil(waitMs), 60_000), undefined, { signal })
        // The quota renews at the reset. The next request to the platform returns the new number.
        if (starts && starts.remaining <= 0 && now() >= starts.resetAt) starts = undefined
      }
      take(shard, lane)
      if (starts) starts.remaining -= 1
      // The session is recorded before it begins, so that the next leader counts it even after a crash.
      while (!(await isRecorded(record(known())))) {
        await sleep(recordAgainAfterMs, undefined, { signal })
        take(shard, lane)
      }
      signal.throwIfAborted()
    },
  }
}

const isRecorded = (recorded: Promise<void>) =>
  recorded.then(
    () => true,
    () => false,
  )
