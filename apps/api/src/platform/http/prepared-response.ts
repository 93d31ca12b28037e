import {
  type IncomingHttpHeaders,
  type IncomingMessage,
  type OutgoingHttpHeader,
  type OutgoingHttpHeaders,
  ServerResponse,
} from 'node:http'
import type { NodeInternals } from './node-internals.ts'
import type { PreparedHead, PreparedResponse } from './send.ts'

type Head = OutgoingHttpHeaders | OutgoingHttpHeader[]

/** Creates the response class of a server. Its responses close the connection while the server ends connections. */
export function responseOf(endsConnections: () => boolean, internals: NodeInternals): typeof ServerResponse {
  return class<R extends IncomingMessage> extends ServerResponse<R> implements PreparedResponse {
    /** Returns true if the connection must end after this response. */
    #isLast(): boolean {
      return endsConnections() || asksForUpgrade(this.req.headers)
    }

    override writeHead(status: number, message?: string, head?: Head): this
    override writeHead(status: number, head?: Head): this
    override writeHead(status: number, second?: string | Head, third?: Head): this {
      if (this.#isLast()) this.setHeader('connection', 'close')
      if (typeof second === 'string') return super.writeHead(status, second, third)
      return super.writeHead(status, second ?? third)
    }

    writePreparedHead(head: PreparedHead, more: readonly string[]): void {
      if (this.#isLast()) this.writeHead(head.status, [...head.headers, ...more])
      else internals.writeHead(this, head, more)
    }
  }
}

/**
 * Returns true for an upgrade request. After such a request, Node.js drops all further bytes, even if nothing handles
 * upgrades.
 */
const asksForUpgrade = ({ upgrade, connection }: IncomingHttpHeaders) =>
  upgrade !== undefined && connection !== undefined && /upgrade/i.test(connection)
