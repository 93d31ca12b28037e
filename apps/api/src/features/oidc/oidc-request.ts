import { IncomingMessage } from 'node:http'
import type { Client } from '#platform/http/router'

/**
 * A request for the protocol library. Its body is already read, and its host is that of the service's public URL,
 * regardless of its headers.
 */
export class OidcRequest extends IncomingMessage {
  readonly client: Client
  /** The address of its sender, in the form that rate limits count. */
  readonly bucket: string
  /** The code in a link, which the person would otherwise have to type. */
  readonly userCode: string | undefined
  /** The error of the service that the library has to answer with. */
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
    // An incomplete request closes its connection when it ends.
    this.complete = true
    this.push(body)
    this.push(null)
  }
}
