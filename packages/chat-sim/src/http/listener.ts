import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Platform } from '../platform.ts'
import { answer } from './answer.ts'
import type { Call, Reply } from './call.ts'
import { identify } from './caller.ts'
import type { JournalEntry } from './journal.ts'
import { errorReply, methodNotAllowed, notFound, PlatformError } from './platform-error.ts'
import type { Route } from './route.ts'
import { createRouter, type Match } from './router.ts'
import { send } from './send.ts'

const maxBodyBytes = 1 << 20

/** Returns true for the simulator's own pages. They work during faults, and are not recorded in the journal. */
const isOwn = (route: Route | undefined) => route?.name === 'control'

/** Creates the handler for `node:http` that serves all routes. */
export function createListener(platform: Platform, routes: readonly Route[]) {
  const find = createRouter(routes)

  const handle = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const { method = 'GET', url = '/' } = req
    const cut = url.indexOf('?')
    const path = cut < 0 ? url : url.slice(0, cut)
    const match = find(method === 'HEAD' ? 'GET' : method, path)
    const body = await readBody(req)
    if (body === undefined) return
    const found = typeof match === 'object' ? match : undefined
    const call = toCall(platform, req, path, cut < 0 ? '' : url.slice(cut + 1), body, found)
    if (isOwn(found?.route)) return send(res, await ownAnswer(platform, found as Match, call))

    const entry = note(platform, found?.route, call)
    const fault = platform.faults.take(entry.route, call.caller.kind, path)
    if (fault?.delayMs) await new Promise((resolve) => setTimeout(resolve, fault.delayMs))
    if (fault?.reset) {
      entry.status = 0
      req.socket.resetAndDestroy()
      return
    }
    const reply = found
      ? await answer(platform, found.route, call, fault)
      : errorReply(match === 'method' ? methodNotAllowed() : notFound())
    entry.status = fault?.lost ? 0 : reply.status
    platform.invalidRequests.note(reply.status, reply.headers['x-ratelimit-scope'])
    send(res, reply, fault)
  }

  return (req: IncomingMessage, res: ServerResponse): void => {
    handle(req, res).catch((error: unknown) => {
      // This is a defect of the simulator, which a test run must not hide.
      console.error(`chat-sim: ${req.method} ${req.url} failed`, error)
      if (!res.headersSent) send(res, errorReply(new PlatformError(500, 0, '500: Internal Server Error')))
    })
  }
}

const ownAnswer = (platform: Platform, { route }: Match, call: Call): Promise<Reply> =>
  answer(platform, route, call, undefined)

function toCall(
  platform: Platform,
  req: IncomingMessage,
  path: string,
  query: string,
  body: Buffer,
  match: Match | undefined,
): Call {
  return {
    method: req.method ?? 'GET',
    origin: `http://${req.headers.host ?? new URL(platform.options.issuer).host}`,
    path,
    query: new URLSearchParams(query),
    params: match?.params ?? {},
    headers: req.headers,
    body,
    caller: identify(platform.world.application.botToken, platform.grants, req.headers.authorization),
  }
}

function note(platform: Platform, route: Route | undefined, call: Call): JournalEntry {
  const entry: JournalEntry = {
    at: platform.clock.now(),
    method: call.method,
    path: call.path,
    query: call.query.toString(),
    route: route?.name ?? 'unknown',
    auth: call.caller.kind,
    userAgent: (call.headers['user-agent'] as string | undefined) ?? '',
    body: call.body.toString('utf8'),
    status: undefined,
  }
  platform.journal.add(entry)
  return entry
}

/** Reads the body. Returns undefined if the client disconnected, or sent too much. */
async function readBody(req: IncomingMessage): Promise<Buffer | undefined> {
  if (req.method === 'GET' || req.method === 'HEAD') return Buffer.alloc(0)
  const parts: Buffer[] = []
  let size = 0
  try {
    for await (const part of req as AsyncIterable<Buffer>) {
      size += part.length
      if (size > maxBodyBytes) {
        req.destroy()
        return undefined
      }
      parts.push(part)
    }
  } catch {
    return undefined
  }
  return Buffer.concat(parts)
}
