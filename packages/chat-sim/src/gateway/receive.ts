import type { RawData } from 'ws'
import type { Connection } from './connection.ts'
import type { Hub } from './hub.ts'
import { identify } from './identify.ts'
import { type ClientMessage, closeCode, frame, op } from './protocol.ts'
import { resume } from './resume.ts'

const maxBytes = 4_096

/** Handles one message of a client. Returns the close code if the connection must be closed. */
export function receive(hub: Hub, connection: Connection, data: RawData): number | undefined {
  if (connection.isFrozen) return undefined
  const now = hub.platform.clock.now()
  if (!connection.countMessage(now)) return closeCode.rateLimited
  const message = parse(data)
  if (!message) return closeCode.decodeError
  if (message.op === op.heartbeat) return receiveHeartbeat(connection, message.d, now)
  if (message.op === op.identify) return identify(hub, connection, message.d)
  if (message.op === op.resume) return resume(hub, connection, message.d)
  if (!sessionOps.has(message.op)) return closeCode.unknownOpcode
  if (!connection.session) return closeCode.notAuthenticated
  return undefined
}

/** The opcodes that need a session, but have no effect here: presence, voice, and requests for lists of members. */
const sessionOps = new Set<number>([op.requestGuildMembers, op.presenceUpdate, op.voiceStateUpdate])

function parse(data: RawData): ClientMessage | undefined {
  const text = data.toString()
  if (Buffer.byteLength(text) > maxBytes) return undefined
  try {
    const message: unknown = JSON.parse(text)
    const isMessage =
      typeof message === 'object' && message !== null && 'op' in message && typeof message.op === 'number'
    return isMessage ? { d: undefined, ...(message as { op: number }) } : undefined
  } catch {
    return undefined
  }
}

function receiveHeartbeat(connection: Connection, d: unknown, now: number): undefined {
  connection.lastHeartbeatAt = now
  if (typeof d === 'number') connection.session?.acknowledge(d)
  connection.send(frame(op.heartbeatAck))
}
