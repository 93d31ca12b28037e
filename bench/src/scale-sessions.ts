import { join } from 'node:path'
import { interleaved, limitTarget, serverCore, summarise, type Target } from './compare.ts'
import { addMembers, copySessions, settle } from './copies.ts'
import { inPlace, type Place } from './place.ts'
import { residentMiB } from './processes.ts'
import { environment, prepare, roleIds, type Seeded, seedSessions, serverId } from './seed.ts'
import { startBare, startRolecall, validateAnswer } from './services.ts'
import type { Table } from './table.ts'
import { load, validateRequests, writeRequests } from './wrk.ts'

const connections = 64
/** The share of sessions that receive requests. The others stay unused. */
const activeShare = 0.1
const path = '/api/auth/validate'

/**
 * Measures validate with more and more sessions, each of a different member. Each size has a database and a process of
 * its own. Uniform: a tenth of the sessions receive requests, all with the same probability, after each of them has
 * received one. Zipf: all sessions do, and the n-th most frequent one has 1/n of the requests of the first. It is
 * measured last, because the sessions that it uses evict others from the cache.
 */
export async function measureSessions(sizes: readonly number[]): Promise<Table> {
  return inPlace(0, async (place) => {
    const sized = []
    for (const size of sizes) sized.push(await prepareSize(place, size))
    const [first] = sized
    if (!first) throw new Error('SESSIONS names no size.')
    const answer = await validateAnswer(`${first.service.url}${path}`, first.seeded)
    const bare = await startBare(serverCore, answer)
    const limit = limitTarget(bare, { script: () => first.uniform, answerBytes: answer.length })
    const targetOf = ({ size, service }: Sized, store: string, script: string): Target => ({
      name: `${size.toLocaleString('en')} sessions`,
      store,
      url: `${service.url}${path}`,
      pids: [service.pid, place.postgres.pid],
      script: () => script,
      answerBytes: answer.length,
    })
    console.log('each active session once, then the rounds')
    for (const { service, once, active } of sized) {
      await load(1, `${service.url}${path}`, once, connections, Math.ceil(active / 5_000))
    }
    const uniform = sized.map((one) => targetOf(one, 'uniform, over a tenth of the sessions', one.uniform))
    const uniformRounds = await interleaved([limit, ...uniform], connections)
    const zipf = sized.map((one) => targetOf(one, 'Zipf, over all sessions', one.zipf))
    const zipfRounds = await interleaved([limit, ...zipf], connections)
    const about = {
      id: 'sessions',
      title: 'Validate with many sessions, 64 connections',
      note: 'PostgreSQL, one process. The service and the database share one core. The load generator has the other. *Uniform* begins after each active session has been used once. *Zipf* comes last: many of its requests are the first of their session, and read the database. *Memory* is the memory of the process after the run.',
    }
    const table = summarise(about, uniformRounds)
    const rows = [...table.rows, ...summarise(about, zipfRounds).rows.slice(1)]
    const memory = [...sized, ...sized].map(({ service }) => residentMiB(service.pid))
    await bare.stop()
    for (const { service } of sized) await service.stop()
    return {
      ...table,
      columns: [
        ...table.columns.filter(({ key }) => key !== 'bytes'),
        { key: 'memory', title: 'Memory MiB', digits: 0 },
      ],
      rows: rows.map((row, i) => ({ ...row, memory: memory[i - 1] ?? '' })),
    }
  })
}

type Sized = Awaited<ReturnType<typeof prepareSize>>

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
  const active = Math.ceil(size * activeShare)
  const all = validateRequests(seeded.apiKey, seeded.tokens)
  const some = validateRequests(seeded.apiKey, seeded.tokens.slice(0, active))
  const zipf = await writeRequests(join(folder, `${size}-zipf.lua`), { ...all, order: 'zipf' })
  const uniform = await writeRequests(join(folder, `${size}-uniform.lua`), some)
  const once = await writeRequests(join(folder, `${size}-once.lua`), { ...some, order: 'once' })
  return { size, active, seeded, service, zipf, uniform, once }
}
