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
    if (!(await hasClients(db))) return [ok('no project is a client')]
    if (!config.outboundKey) {
      return [problem('Set OUTBOUND_WEBHOOK_ENCRYPTION_KEY: no signing key can be made or read without it.')]
    }
    return [await discoveryLine(config.publicUrl)]
  })

async function discoveryLine(publicUrl: string): Promise<Line> {
  const address = `${publicUrl}/.well-known/openid-configuration`
  const answer = await read(address)
  if (!answer) {
    return note(
      `${address} does not answer from here: start the service, or check name, proxy and certificate.`,
    )
  }
  if (answer.status !== 200) {
    return problem(
      `${address} answered ${answer.status}: the proxy has to pass on /.well-known/, /oidc/ and /device.`,
    )
  }
  const issuer = issuerOf(answer.body)
  if (issuer === publicUrl) return ok(`${publicUrl} is the issuer, and answers so`)
  return problem(
    `${address} is not of this service: correct PUBLIC_URL of it, or of the service that answers, to the address of both.`,
  )
}

function issuerOf(body: string): unknown {
  try {
    return Object(JSON.parse(body)).issuer
  } catch {
    return undefined
  }
}

/** Fetches a response within five seconds, up to a size that no discovery document has. */
const read = (address: string) =>
  new Promise<{ status: number; body: string } | undefined>((resolve) => {
    const signal = AbortSignal.timeout(5_000)
    const request = address.startsWith('https:') ? requestHttps : requestHttp
    const asked = request(address, { signal }, (answer) => {
      let body = ''
      answer.setEncoding('utf8').on('data', (text: string) => {
        body += text
        if (body.length > 65_536) answer.destroy()
      })
      answer.on('close', () => resolve({ status: answer.statusCode ?? 0, body }))
      answer.on('error', () => resolve(undefined))
    })
    asked.on('error', () => resolve(undefined)).end()
  })

/** Checks that the service trusts the reverse proxy that asks about protected hosts. */
export const protectedHostLines = (config: Config): Promise<Line[]> =>
  onTables(config, async (db) => {
    const hosts = await listProtectedHosts(db)
    const [first] = hosts
    if (first === undefined) return [ok('no project protects one')]
    const named = hosts.length === 1 ? first : `${first} and ${hosts.length - 1} more`
    if (config.trustProxy.length > 0) return [ok(`${named}; asked about by ${config.trustProxy.join(', ')}`)]
    return [
      problem(
        `TRUST_PROXY is empty, so everybody is refused at ${named}: set it to the address of the reverse proxy.`,
      ),
    ]
  })

/** Checks tables only if they exist. */
async function onTables(config: Config, look: (db: Database) => Promise<Line[]>): Promise<Line[]> {
  if (unmadeFolder(config)) return [ok('none; there is no database yet')]
  return onDatabase(config, async (db) => {
    const { pending } = await schemaState(db)
    return pending.length > 0 ? [note('not checked before the database is up to date.')] : look(db)
  })
}
