import { attachSession, type Connection } from './connection.ts'
import type { Hub } from './hub.ts'
import { closeCode, frame, op } from './protocol.ts'

interface Resume {
  token: string
  session_id: string
  seq: number
}

const isResume = (d: unknown): d is Resume =>
  typeof d === 'object' &&
  d !== null &&
  'token' in d &&
  'session_id' in d &&
  'seq' in d &&
  Number.isInteger(d.seq)

/** Handles opcode 6: sends the missed events in order, and then RESUMED. Returns the close code if it is refused. */
export function resume(hub: Hub, connection: Connection, d: unknown): number | undefined {
  if (connection.session) return closeCode.alreadyAuthenticated
  if (!isResume(d)) return closeCode.decodeError
  const { botToken } = hub.platform.world.application
  if (String(d.token).replace(/^Bot /, '') !== botToken) return closeCode.authenticationFailed
  if (hub.settings.ignoresResume) return undefined

  const session = hub.findSession(String(d.session_id))
  if (session && d.seq > session.seq) {
    hub.sessions.delete(session.id)
    return closeCode.invalidSeq
  }
  const missed = session?.since(d.seq)
  if (!session || !missed) {
    hub.sessions.delete(String(d.session_id))
    connection.send(frame(op.invalidSession, false))
    return undefined
  }
  attachSession(connection, session)
  for (const text of missed) connection.send(text)
  session.dispatch('RESUMED', '{"_trace":["chat-sim"]}')
  return undefined
}
