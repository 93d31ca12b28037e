import { join } from 'node:path'
import { interleaved, limitTarget, serverCore, summarise, type Target } from './compare.ts'
import { addMembers, copySessions, settle } from './copies.ts'
import { inPlace, type Place } from './place.ts'
import { residentMiB } from './processes.ts'
import { environment, prepare, roleIds, type Seeded, seedSessions, serverId } from './seed.ts'
import { answerOf, postJson, type Service, startBare, startRolecall } from './services.ts'
import type { Table } from './table.ts'
import { load, validateRequests, writeRequests } from './wrk.ts'

const connections = 64
/** The share of sessions that receive requests. The others stay unused. */
const activeShare = 0.1
const path = '/api/auth/validate'

/**
 * Measures validate with more and more sessions, each of a different member. Each size has a database and a process of
 * its own. Uniform: a tenth of the sessions receive requests, all with the same probability. Zipf: all sessions do, and
 * the n-th most frequent one has 1/n of the requests of the first.
 */
export async function measureSessions(sizes: readonly number[]): Promise<Table> {
  return inPlace(0, async (place) => {
    const sized = []
    for (const size of sizes) sized.push(await prepareSize(place, size))
    const [first] = sized
    if (!first) throw new Error('SESSIONS names no size.')
    const answer = await validateAnswer(first.service, first.seeded)
    const bare = await startBare(serverCore, answer)
    const limit = limitTarget(bare, { script: () => first.zipf, answerBytes: answer.length })
    const targets = sized.flatMap(({ size, service, zipf, uniform }) =>
      Object.entries({
        'uniform, over a tenth of the sessions': uniform,
        'Zipf, over all sessions': zipf,
      }).map(([store, script]): Target => {
        const pids = [service.pid, place.postgres.pid]
        const name = `${size.toLocaleString('en')} sessions`
        const url = `${service.url}${path}`
        return { name, store, url, pids, script: () => script, answerBytes: answer.length }
      }),
    )
    console.log('each active session once, then the rounds')
    for (const { size, service, uniform } of sized) {
      // Warms up. Random requests reach nearly all active sessions after three times as many requests as sessions.
      await load(1, `${service.url}${path}`, uniform, connections, Math.min(30, Math.ceil(size / 25_000)))
    }
    const results = await interleaved([limit, ...targets], connections)
    const table = summarise(
      {
        id: 'sessions',
        title: 'Validate with many sessions, 64 connections',
        note: 'PostgreSQL, one process. The service and the database share one core. The load generator has the other. *Memory* is the memory of the process after the run.',
      },
      results,
    )
    const memory = sized.flatMap(({ service }) => Array(2).fill(residentMiB(service.pid)) as number[])
    await bare.stop()
    for (const { service } of sized) await service.stop()
    return {
      ...table,
      columns: [
        ...table.columns.filter(({ key }) => key !== 'bytes'),
        { key: 'memory', title: 'Memory MiB', digits: 0 },
      ],
      rows: table.rows.map((row, i) => ({ ...row, memory: memory[i - 1] ?? '' })),
    }
  })
}

async function prepareSize({ folder, postgres }: Place, size: number) {
  console.log(`${size.toLocaleString('en')} sessions`)
  const env = { ...environment, DATABASE_URL: await postgres.database(`sessions_${size}`) }
  const seeded = await prepare(env, async (deps): Promise<Seeded> => {
    const first = await seedSessions(deps, 1)
    const members = await addMembers(deps.db, serverId, roleIds, size)
    const copies = await copySessions(deps.db, first.tokens[0] ?? '', size, members)
    await settle(deps.db)
    return { ...first, tokens: copies.map(({ token }) => token) }
  })
  const service = await startRolecall(serverCore, env)
  const all = validateRequests(seeded.apiKey, seeded.tokens)
  const active = validateRequests(seeded.apiKey, seeded.tokens.slice(0, Math.ceil(size * activeShare)))
  const zipf = await writeRequests(join(folder, `${size}-zipf.lua`), { ...all, order: 'zipf' })
  const uniform = await writeRequests(join(folder, `${size}-uniform.lua`), active)
  return { size, seeded, service, zipf, uniform }
}

const validateAnswer = ({ url }: Service, { apiKey, tokens }: Seeded) =>
  answerOf(`${url}${path}`, postJson({ 'x-api-key': apiKey }, { token: tokens[0] }), /"rolesSource"/)
