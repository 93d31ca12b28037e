import { IncomingMessage } from 'node:http'
import type { Client } from '#platform/http/router'

/**
 * A request as the protocol library gets it. The body has been read already. The host and scheme come from the
 * service's public URL, and not from the headers of the original request.
 */
export class OidcRequest extends IncomingMessage {
  readonly client: Client
  /** The bucket of the sender's IP address, for rate limits. */
  readonly bucket: string
  /** The device code from the link that the person opened. Undefined if the person has to type it. */
  readonly userCode: string | undefined
  /** An error that occurred before the library was called, and that its response has to report. */
  readonly failure: unknown

  constructor(
    {
      raw,
      url,
      body,
      userCode,
      failure,
    }: {
      raw: IncomingMessage
      url: string
      body: Buffer
      userCode?: string | undefined
      failure?: unknown
    },
    { client, bucket, publicUrl }: { client: Client; bucket: string; publicUrl: string },
  ) {
    super(raw.socket)
    const { host, protocol } = new URL(publicUrl)
    const { 'x-forwarded-host': _host, 'transfer-encoding': _encoding, ...headers } = raw.headers
    this.method = raw.method
    this.url = url
    this.httpVersion = raw.httpVersion
    this.headers = {
      ...headers,
      host,
      'x-forwarded-proto': protocol.slice(0, -1),
      'x-forwarded-for': client.ip,
      ...(raw.method === 'POST' && { 'content-length': String(body.length) }),
    }
    this.client = client
    this.bucket = bucket
    this.userCode = userCode
    this.failure = failure
    // Without this, Node.js would close the connection after the response, as for an incomplete request.
    this.complete = true
    this.push(body)
    this.push(null)
  }
}
