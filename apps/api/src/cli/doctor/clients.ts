import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { Database } from '#platform/db/database'
import { schemaState } from '#platform/db/migrate'
import type { Config } from '../../config.ts'
import { listProtectedHosts } from '../../features/forward-auth/store.ts'
import { hasClients } from '../../features/oidc/clients-store.ts'
import { unmadeFolder } from '../unmade-folder.ts'
import { type Line, note, ok, problem } from './line.ts'
import { onDatabase } from './storage.ts'

/** Checks that OpenID Connect clients can find the service at PUBLIC_URL. */
export const oidcLines = (config: Config): Promise<Line[]> =>
  onTables(config, async (db) => {
    if (!(await hasClients(db))) return [ok('no project uses OpenID Connect')]
    if (!config.outboundKey) {
      return [
        problem(
          'OUTBOUND_WEBHOOK_ENCRYPTION_KEY is not set, so signing keys cannot be created or read. Set it to the ' +
            'key that the service uses.',
        ),
      ]
    }
    return [await discoveryLine(config.publicUrl)]
  })

async function discoveryLine(publicUrl: string): Promise<Line> {
  const address = `${publicUrl}/.well-known/openid-configuration`
  const response = await read(address)
  if (!response) {
    return note(
      `${address} does not respond from here. Start the service, or check the name, the proxy, and the certificate.`,
    )
  }
  if (response.status !== 200) {
    return problem(
      `${address} responded with status ${response.status}. The proxy must forward /.well-known/, /oidc/, and /device.`,
    )
  }
  const issuer = issuerOf(response.body)
  if (issuer === publicUrl) return ok(`${publicUrl} is the issuer and responds`)
  return problem(
    `${address} belongs to another issuer. Set PUBLIC_URL to the address under which this service responds.`,
  )
}

function issuerOf(body: string): unknown {
  try {
    return Object(JSON.parse(body)).issuer
  } catch {
    return undefined
  }
}

/**
 * Requests an address, for at most five seconds. Reads no more than 64 KiB, which every discovery document fits into.
 * Returns undefined without a response.
 */
const read = (address: string) =>
  new Promise<{ status: number; body: string } | undefined>((resolve) => {
    const signal = AbortSignal.timeout(5_000)
    const request = address.startsWith('https:') ? requestHttps : requestHttp
    const asked = request(address, { signal }, (response) => {
      let body = ''
      response.setEncoding('utf8').on('data', (text: string) => {
        body += text
        if (body.length > 65_536) response.destroy()
      })
      response.on('close', () => resolve({ status: response.statusCode ?? 0, body }))
      response.on('error', () => resolve(undefined))
    })
    asked.on('error', () => resolve(undefined)).end()
  })

/** Checks that the service trusts the reverse proxy in front of protected hosts. */
export const protectedHostLines = (config: Config): Promise<Line[]> =>
  onTables(config, async (db) => {
    const hosts = await listProtectedHosts(db)
    const [first] = hosts
    if (first === undefined) return [ok('no project has protected hosts')]
    const named = hosts.length === 1 ? first : `${first} and ${hosts.length - 1} more`
    if (config.trustProxy.length > 0)
      return [ok(`${named}; requests come from ${config.trustProxy.join(', ')}`)]
    return [
      problem(
        `TRUST_PROXY is empty, so every request to ${named} is rejected. Set it to the address of the reverse proxy.`,
      ),
    ]
  })

/** Runs a check on the database, if the database exists and its tables are up to date. */
async function onTables(config: Config, look: (db: Database) => Promise<Line[]>): Promise<Line[]> {
  if (unmadeFolder(config)) return [ok('none; there is no database yet')]
  return onDatabase(config, async (db) => {
    const { pending } = await schemaState(db)
    return pending.length > 0 ? [note('not checked until the database is up to date.')] : look(db)
  })
}
