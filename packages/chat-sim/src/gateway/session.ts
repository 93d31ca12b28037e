import { randomBytes } from 'node:crypto'
import { dispatchFrame } from './protocol.ts'

/** The maximum number of frames that are kept. A client that misses more of them cannot resume. */
const maxHeldFrames = 20_000
const maxHeldBytes = 48 << 20

/** A session of the gateway. It outlives its connection, so that a client can resume it. */
export interface Session {
  readonly id: string
  readonly intents: number
  readonly shard: readonly [number, number]
  seq: number
  /** The time, in milliseconds, at which the client disconnected. Undefined while it is connected. */
  lostAt: number | undefined
  /** Sends a frame to the client. Undefined while it is not connected. */
  send: ((text: string) => void) | undefined
  dispatch(type: string, d: string): void
  /** Returns the frames after `seq`, or undefined if some of them are no longer kept. */
  since(seq: number): string[] | undefined
  /** Records that the client has received everything up to `seq`, so that those frames can be dropped. */
  acknowledge(seq: number): void
}

/** Creates a session that can be resumed. It numbers frames, and keeps them until the client acknowledges them. */
export function createSession(intents: number, shard: readonly [number, number]): Session {
  let held: { seq: number; text: string }[] = []
  let heldBytes = 0
  let forgottenUpTo = 0

  function forget(count: number): void {
    for (const { seq, text } of held.slice(0, count)) {
      heldBytes -= text.length
      forgottenUpTo = seq
    }
    held = held.slice(count)
  }

  const session: Session = {
    id: randomBytes(16).toString('hex'),
    intents,
    shard,
    seq: 0,
    lostAt: undefined,
    send: undefined,
    dispatch(type, d) {
      const text = dispatchFrame(++session.seq, type, d)
      held.push({ seq: session.seq, text })
      heldBytes += text.length
      // Drops half of the frames at a time, because dropping one per event would move the whole array each time.
      if (held.length > maxHeldFrames || heldBytes > maxHeldBytes) forget(Math.ceil(held.length / 2))
      session.send?.(text)
    },
    since: (seq) =>
      seq < forgottenUpTo ? undefined : held.filter((each) => each.seq > seq).map((each) => each.text),
    acknowledge(seq) {
      let count = 0
      while (count < held.length && (held[count] as { seq: number }).seq <= seq) count++
      if (count > 0) forget(count)
    },
  }
  return session
}

/** Returns true if a server belongs to a shard, by the platform's rule. */
export const isOnShard = (guildId: string, [index, count]: readonly [number, number]): boolean =>
  Number((BigInt(guildId) >> 22n) % BigInt(count)) === index
