import { createHmac } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Deps } from '@rolecall/api/deps'
import { createProject } from '@rolecall/api/features/projects/create-project'
import { createWebhook } from '@rolecall/api/features/webhooks/create-webhook'
import { allCores, interleaved, report, serverCore } from './compare.ts'
import { makeFolder, removeFolder, startPostgres } from './postgres.ts'
import { freePort, startPinned, whenAnswering } from './processes.ts'
import { environment, prepare } from './seed.ts'

/**
 * Signed submissions of 1 KB, each stored before it is answered, against a bare `node:http` server that reads
 * and parses the same body and answers 201. PostgreSQL commits to disk, as it does out of the box.
 */
const rolecall = fileURLToPath(new URL('../../apps/api/bin/rolecall.js', import.meta.url))
const bare = fileURLToPath(new URL('./bare-server.js', import.meta.url))
/** Each signature is good once: as many are made as one run could use. */
const perRun = Number(process.env['SIGNATURES'] ?? 300_000)

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
/** Around the number that makes each body another. */
const before = '{"number":'
const after = `,${tail}${'x'.repeat(1_000 - tail.length)}"}`

await place('service and database share one core, the load has the other', serverCore)
await place('all of them share two cores, as does the bare server')

async function place(name: string, core?: number) {
  const folder = await makeFolder()
  const postgres = await startPostgres(folder, core)
  try {
    await measure(name, folder, postgres, core)
  } finally {
    await postgres.stop()
    await removeFolder(folder)
  }
}

async function measure(
  name: string,
  folder: string,
  postgres: Awaited<ReturnType<typeof startPostgres>>,
  core?: number,
) {
  const env = {
    ...environment,
    DATABASE_URL: postgres.url,
    INBOUND_WEBHOOK_ENCRYPTION_KEY: '1'.repeat(64),
    OUTBOUND_WEBHOOK_ENCRYPTION_KEY: '2'.repeat(64),
  }
  const { apiKey, id, secret } = await prepare(env, makeWebhook)
  const [port, barePort] = [await freePort(), await freePort()]
  const service = startPinned(core ?? allCores, [process.execPath, rolecall, 'serve'], {
    ...env,
    PORT: String(port),
  })
  const limit = startPinned(core ?? allCores, [process.execPath, bare], {
    PORT: String(barePort),
    STATUS: '201',
    ANSWER: Buffer.from(JSON.stringify({ id, receivedAt: '2026-11-21T08:15:00.000Z' })).toString('base64'),
  })
  await whenAnswering(`http://127.0.0.1:${port}/api/health/live`)
  await whenAnswering(`http://127.0.0.1:${barePort}`)
  const targets = [
    { name: 'bare node:http', url: `http://127.0.0.1:${barePort}/`, pids: [limit.pid as number] },
    {
      name: 'rolecall submit',
      url: `http://127.0.0.1:${port}/api/inbound-webhooks/${id}/submit`,
      pids: [service.pid as number, postgres.pid],
    },
  ]
  let next = 0
  const script = async () => {
    next += perRun
    return writeScript(folder, next, apiKey, secret)
  }
  console.log(`\nPostgreSQL: signed submissions of 1 KB, ten fields; ${name}`)
  report(64, await interleaved(targets, script, 64))
  limit.kill()
  service.kill()
  await new Promise((resolve) => service.once('exit', resolve))
}

async function makeWebhook(deps: Deps) {
  const { id: projectId, apiKey } = await createProject(deps, {}, { name: 'Bench' })
  const { id, secret } = await createWebhook(deps, {}, projectId, { name: 'Bench', schema })
  return { apiKey, id, secret }
}

/** Signatures for one run, made in advance: the load generator has none of the work. */
async function writeScript(folder: string, first: number, apiKey: string, secret: string): Promise<string> {
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
