import { IncomingMessage } from 'node:http'
import type { Client } from '#platform/http/router'

/**
 * A request as the protocol library gets it: its body is read already, and where it came to is what the service is known
 * as, whatever its headers say.
 */
export class OidcRequest extends IncomingMessage {
  readonly client: Client
  /** Its address, as limits count addresses. */
  readonly bucket: string
  /** What a link says that a person would have to type. */
  readonly userCode: string | undefined

  constructor(
    {
      raw,
      url,
      body,
      userCode,
    }: { raw: IncomingMessage; url: string; body: Buffer; userCode?: string | undefined },
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
    // A request that is not whole takes its connection along when it ends.
    this.complete = true
    this.push(body)
    this.push(null)
  }
}
