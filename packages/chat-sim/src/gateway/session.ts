import { randomBytes } from 'node:crypto'
import { dispatchFrame } from './protocol.ts'

/** More than this, and a client that comes back has missed too much to be told. */
const maxHeldFrames = 20_000
const maxHeldBytes = 48 << 20

export interface Session {
  readonly id: string
  readonly intents: number
  readonly shard: readonly [number, number]
  seq: number
  /** Milliseconds since when nobody listens; undefined while somebody does. */
  lostAt: number | undefined
  /** Where frames go while somebody listens. */
  send: ((text: string) => void) | undefined
  dispatch(type: string, d: string): void
  /** Frames after `seq`, or undefined when some of them are gone. */
  since(seq: number): string[] | undefined
  /** The client has seen everything up to here, and will not ask for it again. */
  acknowledge(seq: number): void
}

/** What a client may come back to: numbered frames are kept until it says that it has seen them. */
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
      // Half at a time, so that a full buffer does not move on every event.
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

/** The platform's rule for spreading servers over shards. */
export const isOnShard = (guildId: string, [index, count]: readonly [number, number]): boolean =>
  Number((BigInt(guildId) >> 22n) % BigInt(count)) === index
