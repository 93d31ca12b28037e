import { join } from 'node:path'
import type { Deps } from '@rolecall/api/deps'
import { writeHosts, writeRule } from '@rolecall/api/features/forward-auth/store'
import { sql } from '@rolecall/api/platform/db/sql'
import {
  interleaved,
  limitTarget,
  median,
  type Round,
  serverCore,
  summarise,
  type Target,
} from './compare.ts'
import { copySessions } from './copies.ts'
import { asClient, grantRecords, makeClient } from './oidc-records.ts'
import type { Place } from './place.ts'
import { environment, prepare, roleIds, type Seeded, seedSessions, serverId } from './seed.ts'
import { answerOf, type Service, startBare, startRolecall, validateAnswer, warmUp } from './services.ts'
import type { Table } from './table.ts'
import { firstOf, type Requests, validateRequests, writeRequests } from './wrk.ts'

const host = 'wiki.example.org'
const scope = 'openid profile email roles'
const connections = 64

/**
 * Measures the requests that reverse proxies, clients of OpenID Connect, and back ends send for each request of a
 * visitor. Compares them with validate, which reads the same store, in the same rounds. Then measures a request for
 * many members.
 */
export async function measureRelyingParties({ folder, postgres, redis, sessions }: Place): Promise<Table[]> {
  const env = {
    ...environment,
    DATABASE_URL: await postgres.database('relying_parties'),
    TRUST_PROXY: '127.0.0.1',
    // The key that seals signing keys.
    OUTBOUND_WEBHOOK_ENCRYPTION_KEY: '1'.repeat(64),
    INBOUND_WEBHOOK_ENCRYPTION_KEY: '2'.repeat(64),
    ...(redis && { CACHE_URL: redis.url }),
  }
  console.log(`${sessions} sessions each of validate, of a protected host and of OpenID Connect`)
  const made = await prepare(env, (deps) => makeSupply(deps, sessions))
  const service = await startRolecall(serverCore, env)
  const asked = askedOf(made)
  for (const { path, requests, expected } of asked) await warmUp(service.url + path, requests, expected)
  const answer = await validateAnswer(`${service.url}/api/auth/validate`, made)
  const bare = await startBare(serverCore, answer)
  const targets: Target[] = []
  for (const { name, store, path, requests, expected } of asked) {
    const url = service.url + path
    const script = await writeRequests(join(folder, `${name}.lua`), requests)
    const answerBytes = (await answerOf(url, firstOf(requests), expected)).length
    targets.push({ name, store, url, pids: [service.pid, postgres.pid], script: () => script, answerBytes })
  }
  const [validate] = targets
  if (!validate) throw new Error('There is no request of validate.')
  const limit = {
    ...limitTarget(bare, validate),
    store: 'parses the body of validate, returns a response of the same size',
  }
  const results = await interleaved([limit, ...targets], connections, 3)
  await bare.stop()
  const many = await measureManyChecks(made, { folder, service, pids: [service.pid, postgres.pid] })
  await service.stop()
  const note =
    'The server, the database, and the cache share one core. The load generator has the other. Forward authentication returns six headers and no body.'
  const table = summarise(
    { id: 'relying-parties', title: 'Identity requests, 64 connections', note },
    results,
  )
  const rates = [...results.values()]
  const toValidate = (own: readonly Round[]) =>
    median(own.map((round, i) => round.requestsPerSecond / (rates[1]?.[i]?.requestsPerSecond ?? Number.NaN)))
  return [
    {
      ...table,
      columns: [...table.columns, { key: 'toValidate', title: 'Relative to validate', digits: 2 }],
      rows: table.rows.map((row, i) => ({ ...row, toValidate: toValidate(rates[i] ?? []) })),
    },
    many,
  ]
}

/** The maximum number of members of one request. */
const checksAtOnce = 1_000

/**
 * Measures a request that checks many members, with one connection: its duration is the answer to a page of members.
 */
async function measureManyChecks(
  { apiKey, memberIds }: Supply,
  { folder, service, pids }: { folder: string; service: Service; pids: readonly number[] },
): Promise<Table> {
  const url = `${service.url}/api/servers/${serverId}/permissions/check-many`
  const pages = Array.from({ length: 10 }, (_, page) =>
    memberIds.filter((_, i) => i % 10 === page).slice(0, checksAtOnce),
  )
  const requests: Requests = {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-API-Key': apiKey },
    each: pages.map((ids) => ({ body: JSON.stringify({ memberIds: ids, anyOf: roleIds.slice(0, 1) }) })),
  }
  const answerBytes = (await answerOf(url, firstOf(requests), /"allowed"/)).length
  const script = await writeRequests(join(folder, 'check-many.lua'), requests)
  const target: Target = {
    ...{ name: 'Rolecall', store: 'PostgreSQL + Redis, limit on', url, pids },
    ...{ script: () => script, answerBytes },
  }
  const title = `Permission checks of ${Math.min(checksAtOnce, pages[0]?.length ?? 0).toLocaleString('en')} members in one request, 1 connection`
  const note = 'The members have sessions, so their roles are in memory.'
  const table = summarise({ id: 'check-many', title, note }, await interleaved([target], 1, 3))
  return { ...table, columns: table.columns.filter(({ key }) => !/ratio/i.test(key)) }
}

interface Asked {
  readonly name: string
  readonly store: string
  readonly path: string
  readonly requests: Requests
  readonly expected: RegExp
}

/** Lists the requests to measure. Validate is first, because the others are compared with it. */
function askedOf(supply: Supply): readonly Asked[] {
  const { apiKey, projectId, tokens, hostTokens, accessTokens, memberIds } = supply
  const members = `/api/servers/${serverId}/members/`
  return [
    {
      name: 'validate',
      store: 'from memory; limit on',
      path: '/api/auth/validate',
      requests: validateRequests(apiKey, tokens),
      expected: /"rolesSource"/,
    },
    {
      name: 'forward-auth',
      store: 'from memory; no rate limit',
      path: '/api/forward-auth',
      requests: {
        method: 'GET',
        headers: {
          'X-Forwarded-Proto': 'https',
          'X-Forwarded-Host': host,
          'X-Forwarded-Uri': '/page?x=1',
          'X-Forwarded-Method': 'GET',
        },
        header: 'Cookie',
        each: hostTokens.map((token) => ({ value: `__Host-rolecall=${token}` })),
      },
      expected: /^$/,
    },
    {
      name: 'userinfo',
      store: 'from memory; limit on',
      path: '/oidc/me',
      requests: {
        method: 'GET',
        header: 'Authorization',
        each: accessTokens.map((token) => ({ value: `Bearer ${token}` })),
      },
      expected: /"role_ids"/,
    },
    {
      name: 'introspection',
      store: 'from memory; limit on',
      path: '/oidc/introspect',
      requests: {
        method: 'POST',
        headers: {
          Authorization: asClient({ projectId, apiKey }),
          'Content-Type': 'application/x-www-form-urlencoded',
        },
        each: accessTokens.map((token) => ({ body: `token=${token}` })),
      },
      expected: /"active":true/,
    },
    {
      name: 'one member',
      store: 'from memory; limit on',
      path: members + memberIds[0],
      requests: {
        method: 'GET',
        headers: { 'X-API-Key': apiKey },
        pathStart: members,
        each: memberIds.map((id) => ({ value: id })),
      },
      expected: /"roles"/,
    },
    {
      name: 'one permission check',
      store: 'from memory; limit on',
      path: `/api/servers/${serverId}/permissions/check`,
      requests: {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'X-API-Key': apiKey },
        each: memberIds.map((memberId) => ({
          body: JSON.stringify({ memberId, anyOf: roleIds.slice(0, 1) }),
        })),
      },
      expected: /"allowed"/,
    },
  ]
}

interface Supply extends Seeded {
  readonly hostTokens: readonly string[]
  readonly accessTokens: readonly string[]
  readonly memberIds: readonly string[]
}

async function makeSupply(deps: Deps, count: number): Promise<Supply> {
  const seeded = await seedSessions(deps, count)
  const { projectId, tokens } = seeded
  const members = await deps.db.query<{ id: string }>(sql`select id from members order by id`)
  const memberIds = members.map(({ id }) => id)
  await deps.db.transaction(async (tx) => {
    await writeRule(tx, projectId, { serverId: null, anyOf: [], remoteUser: 'username', hosts: [host] })
    await writeHosts(tx, projectId, [{ host, callbacks: [`https://${host}/_rolecall/callback`] }])
    await makeClient(tx, projectId)
  })
  const [token = ''] = tokens
  const pairs = await copySessions(deps.db, token, count, memberIds, 'hostSession')
  const accessTokens = await grantRecords(deps.db, seeded, { model: 'AccessToken', scope, count, memberIds })
  return { ...seeded, hostTokens: pairs.map((pair) => pair.token), accessTokens, memberIds }
}
