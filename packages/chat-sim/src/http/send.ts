import type { ServerResponse } from 'node:http'
import type { Reply } from './call.ts'
import type { Fault } from './faults.ts'

/** Sends a reply, with a fault if one is given. */
export function send(res: ServerResponse, reply: Reply, fault: Fault = {}): void {
  if (fault.lost) {
    res.socket?.resetAndDestroy()
    return
  }
  const whole = Buffer.from(reply.body ?? '')
  const half = whole.subarray(0, Math.ceil(whole.length / 2))
  const body = fault.truncate === true ? half : whole
  const headers: Reply['headers'] = { ...reply.headers }
  if (fault.contentType) headers['content-type'] = fault.contentType
  // A reply with 204 has no body, and so no length.
  if (reply.status !== 204) headers['content-length'] = String(body.length)
  res.writeHead(reply.status, headers)

  if (fault.truncate === 'cut') {
    res.write(half, () => res.socket?.destroy())
  } else if (fault.slowBody !== undefined && body.length > 0) {
    res.write(half)
    if (fault.slowBody !== true) setTimeout(() => res.end(body.subarray(half.length)), fault.slowBody).unref()
  } else {
    res.end(body)
  }
}
