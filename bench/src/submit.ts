import { createHmac } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Deps } from '@rolecall/api/deps'
import { createProject } from '@rolecall/api/features/projects/create-project'
import { createWebhook } from '@rolecall/api/features/webhooks/create-webhook'
import {
  allCores,
  interleaved,
  limitTarget,
  seconds,
  serverCore,
  summarise,
  withoutTimes,
} from './compare.ts'
import { findPgbench, plainStatement } from './pgbench.ts'
import type { Place } from './place.ts'
import { plainSubmit } from './plain-changes.ts'
import { pin } from './processes.ts'
import { environment, prepare } from './seed.ts'
import { startBare, startRolecall } from './services.ts'
import type { Table } from './table.ts'

/** The number of signatures to create for a run. Each is valid only once. */
const perRun = 20_000 * seconds

const places = [
  { id: 'submit', title: 'Signed submission of 1 KB, service and database on one core', core: serverCore },
  { id: 'submit-two-cores', title: 'Signed submission of 1 KB, everything on two cores', core: allCores },
]
const note =
  'The service verifies an HMAC-SHA256 signature and a JSON Schema with ten fields. It responds after PostgreSQL has committed to disk.'

const limitNote =
  'For each submission, pgbench stores the same row, the mark against replays, and the count, in one transaction. It checks no signature, schema, or key. The database and the service share one core. The load generator has the other.'
/** The number of rows per second that pgbench may store. */
const perSecond = 20_000

const text = { type: 'string', maxLength: 400 }
const schema = {
  type: 'object',
  properties: {
    number: { type: 'integer', minimum: 0 },
    title: { type: 'string', minLength: 1, maxLength: 100 },
    kind: { enum: ['report', 'request', 'praise'] },
    name: text,
    mail: { type: 'string', pattern: '^[^@ ]+@[^@ ]+$' },
    age: { type: 'integer', minimum: 13, maximum: 130 },
    agrees: { const: true },
    tags: { type: 'array', items: { type: 'string', maxLength: 20 }, maxItems: 10 },
    when: { type: 'string', format: 'date-time' },
    text: { type: 'string', maxLength: 2_000 },
  },
  required: ['number', 'title', 'kind', 'name', 'mail', 'agrees', 'when', 'text'],
  additionalProperties: false,
}
const fields = {
  title: 'The lamp on pier four is out again',
  kind: 'report',
  name: 'Ada Osei',
  mail: 'ada@harbour.example',
  age: 31,
  agrees: true,
  tags: ['pier', 'lamp', 'night'],
  when: '2026-11-21T08:15:00Z',
}
const tail = JSON.stringify({ ...fields, text: '' }).slice(1, -2)
/** The start of each body. A number follows, which makes each body different. */
const before = '{"number":'
const after = `,${tail}${'x'.repeat(1_000 - tail.length)}"}`

/**
 * Measures signed submissions, with the service and the database on one core, and on two. On one core, also compares
 * them with pgbench, which stores the same rows.
 */
export async function measureSubmit({ folder, postgres }: Place): Promise<Table[]> {
  const env = {
    ...environment,
    DATABASE_URL: await postgres.database('submit'),
    INBOUND_WEBHOOK_ENCRYPTION_KEY: '1'.repeat(64),
    OUTBOUND_WEBHOOK_ENCRYPTION_KEY: '2'.repeat(64),
  }
  const program = findPgbench()
  if (!program) console.log('Without pgbench, the row of submissions against the database alone is skipped.')
  const webhook = await prepare(env, makeWebhook)
  const answer = Buffer.from(JSON.stringify({ id: webhook.id, receivedAt: '2026-11-21T08:15:00.000Z' }))
  const tables: Table[] = []
  let next = 0
  const script = () => {
    next += perRun
    return writeScript(folder, next, webhook)
  }
  for (const { core, ...place } of places) {
    pin(core, postgres.pid)
    const service = await startRolecall(core, env)
    const bare = await startBare(core, answer, { status: 201 })
    const shared = { script, answerBytes: answer.length }
    const limit = limitTarget(bare, shared)
    const url = `${service.url}/api/inbound-webhooks/${webhook.id}/submit`
    const pids = [service.pid, postgres.pid]
    const target = { ...shared, name: 'Rolecall', store: 'PostgreSQL, limit on', url, pids }
    tables.push(summarise({ ...place, note }, await interleaved([limit, target], 64)))
    if (program && core === serverCore) {
      const statement = plainSubmit(webhook.id, after)
      const plain = plainStatement({
        program,
        url: env.DATABASE_URL,
        folder,
        statement,
        pids: [postgres.pid],
        perSecond,
      })
      const title = 'Signed submission of 1 KB, compared with the database alone'
      tables.push(
        withoutTimes(
          summarise({ id: 'submit-pgbench', title, note: limitNote }, await interleaved([plain, target], 64)),
        ),
      )
    }
    await bare.stop()
    await service.stop()
  }
  pin(serverCore, postgres.pid)
  return tables
}

async function makeWebhook(deps: Deps) {
  const { id: projectId, apiKey } = await createProject(deps, {}, { name: 'Bench' })
  const { id, secret } = await createWebhook(deps, {}, projectId, { name: 'Bench', schema })
  return { apiKey, id, secret }
}

/** Writes the wrk script of a run. Creates all signatures in advance, so that wrk does not have to. */
async function writeScript(
  folder: string,
  first: number,
  { apiKey, secret }: { apiKey: string; secret: string },
): Promise<string> {
  const path = join(folder, 'submit.lua')
  const time = Math.floor(Date.now() / 1000)
  const macs: string[] = []
  for (let i = 0; i < perRun; i++) {
    macs.push(
      createHmac('sha256', secret)
        .update(`${time}.${before}${first + i}${after}`)
        .digest('hex'),
    )
  }
  await writeFile(`${path}.macs`, macs.join('\n'))
  await writeFile(
    path,
    `local macs = {}
for line in io.lines("${path}.macs") do macs[#macs + 1] = line end
local n = 0
wrk.method = "POST"
local headers = { ["Content-Type"] = "application/json", ["X-API-Key"] = "${apiKey}" }
function request()
  n = n + 1
  headers["X-SVC-Signature"] = "t=${time},v1=" .. (macs[n] or "")
  return wrk.format(nil, nil, headers, '${before}' .. (${first} + n - 1) .. '${after}')
end
`,
  )
  return path
}
