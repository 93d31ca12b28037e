import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { freePort } from './free-port.js'
import { installOnce } from './install-once.js'

// Updates from an older version to this checkout, and back, under load. Starts two instances of the old version on one
// database with SESSIONS (1000000) sessions and MEMBERS (200000) members. Runs the migrations of this checkout.
// Replaces each instance by the new version, and then by the old one again, until REQUESTS (100000) requests are
// answered.
//
// Prints the lost requests, and the longest wait for a lock and the longest response while the migrations ran. Exits
// with 1 if a request was lost. Run it by hand after `npm run build`. It takes some minutes. OLD is the commit or the
// tag of the old version. Its default is the newest tag `v…`, or without a tag, the commit before the newest migration.
// This checkout must contain every migration of OLD without changes.

const size = {
  sessions: Number(process.env['SESSIONS'] ?? 1_000_000),
  members: Number(process.env['MEMBERS'] ?? 200_000),
  requests: Number(process.env['REQUESTS'] ?? 100_000),
}
const root = fileURLToPath(new URL('..', import.meta.url))
/** @param {...string} args */
const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()
const old = git('rev-parse', process.env['OLD'] ?? released())

function released() {
  const [tag] = git('tag', '--list', 'v*', '--sort=-version:refname').split('\n')
  if (tag) return tag
  return `${git('log', '-1', '--diff-filter=A', '--format=%H', '--', 'apps/api/migrations')}^`
}

// Rejects an old version with migrations that differ from those of this checkout, because its database cannot be
// updated.
const other = git('diff', '--name-only', '--no-renames', '--diff-filter=a', old, '--', 'apps/api/migrations')
if (other) {
  console.error(
    `${old.slice(0, 10)} has migrations that this checkout lacks or has changed. Set OLD to a version that shares them:\n${other}`,
  )
  process.exit(1)
}

/**
 * Builds the old version in another folder, with the packages that are installed here.
 * @param {string} folder
 */
async function buildOld(folder) {
  const tree = join(folder, 'old')
  mkdirSync(join(tree, 'node_modules/@rolecall'), { recursive: true })
  execFileSync('sh', ['-c', 'git archive "$1" | tar -x -C "$2"', 'sh', old, tree], { cwd: root })
  for (const name of readdirSync(join(root, 'node_modules'))) {
    if (name === '@rolecall') continue
    symlinkSync(join(root, 'node_modules', name), join(tree, 'node_modules', name))
  }
  const own = {
    contract: 'packages',
    'tenant-schema': 'packages',
    'chat-sim': 'packages',
    sdk: 'packages',
    api: 'apps',
  }
  for (const [name, parent] of Object.entries(own))
    symlinkSync(join(tree, parent, name), join(tree, 'node_modules/@rolecall', name))
  // Installs the packages of `bench/peers`, because the old version may contain and compile the servers there.
  await installOnce('bench/peers')
  symlinkSync(join(root, 'bench/peers/node_modules'), join(tree, 'bench/node_modules'))
  execFileSync(join(root, 'node_modules/.bin/tsc'), ['-b', 'bench'], { cwd: tree, stdio: 'inherit' })
  return tree
}

/**
 * Measures the longest wait for a lock, and the longest response, until it is stopped.
 * @param {string} databaseUrl
 * @param {string} url
 * @param {() => RequestInit} ask
 */
async function watch(databaseUrl, url, ask) {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const longest = { lockMs: 0, answerMs: 0 }
  let isOver = false
  const locks = (async () => {
    while (!isOver) {
      const { rows } = await client.query(
        `select coalesce(max(extract(epoch from clock_timestamp() - waitstart)) * 1000, 0)::float8 as ms
         from pg_locks where not granted and locktype <> 'advisory'`,
      )
      longest.lockMs = Math.max(longest.lockMs, rows[0].ms)
      await sleep(10)
    }
  })()
  const answers = (async () => {
    while (!isOver) {
      const from = performance.now()
      await (await fetch(url, ask())).arrayBuffer()
      longest.answerMs = Math.max(longest.answerMs, performance.now() - from)
      await sleep(10)
    }
  })()
  return async () => {
    isOver = true
    await Promise.all([locks, answers])
    await client.end()
    return longest
  }
}

const { makeFolder, removeFolder, startPostgres } = await import('../bench/dist/postgres.js')
const { createInstance, rolecall } = await import('../bench/dist/soak/instance.js')
const { startRollingLoad } = await import('../bench/dist/rolling-load.js')
const folder = await makeFolder()
const postgres = await startPostgres(folder)
try {
  console.log(
    `from ${git('log', '-1', '--format=%h, %ad', '--date=format:%Y-%m-%d %H:%M', old)} to this checkout, and back`,
  )
  const tree = await buildOld(folder)
  const { environment, prepare, roleIds, seedSessions, serverId } = await import(
    join(tree, 'bench/dist/seed.js')
  )
  const { addMembers, copySessions, settle } = await import(join(tree, 'bench/dist/copies.js'))
  const env = { ...environment, CONSOLE: 'off', DATABASE_URL: await postgres.database('upgrade') }
  const seeded = await prepare(env, async (/** @type {any} */ deps) => {
    const made = await seedSessions(deps, 200)
    const members = await addMembers(deps.db, serverId, roleIds, size.members)
    await copySessions(deps.db, made.tokens[0], size.sessions, members)
    await settle(deps.db)
    return made
  })
  const [first, second] = [await freePort(), await freePort()]
  /** @param {string} name @param {number} port @param {string} program */
  const instance = (name, port, program) =>
    createInstance(name, port, env, join(folder, `${name}.log`), program)
  const oldProgram = join(tree, 'apps/api/bin/rolecall.js')
  const pairs = [first, second].map((port, i) => ({
    old: instance(`old-${i}`, port, oldProgram),
    new: instance(`new-${i}`, port, rolecall),
  }))
  for (const pair of pairs) await pair.old.start()

  const headers = { 'content-type': 'application/json', 'x-api-key': seeded.apiKey }
  /** @param {string} path @param {object} body @returns {import('../bench/src/rolling-load.ts').Asked} */
  const post = (path, body) => ({ method: 'POST', path, headers, body: JSON.stringify(body) })
  const asked = seeded.tokens.flatMap((/** @type {string} */ token) => [
    post('/api/auth/validate', { token }),
    post('/api/auth/validate', { token }),
    post('/api/auth/logout-all', { memberId: '1' }),
    { method: 'GET', path: `/api/servers/${serverId}/members?limit=5`, headers },
  ])
  const targets = pairs.map((pair) => pair.old.url)
  const load = startRollingLoad({ targets, asked, clients: 16, pauseMs: 5 })
  await sleep(2_000)

  const token = seeded.tokens[0]
  const stopWatch = await watch(env.DATABASE_URL, `${targets[0]}/api/auth/validate`, () => ({
    method: 'POST',
    headers,
    body: JSON.stringify({ token }),
  }))
  const from = performance.now()
  const migrating = spawn(process.execPath, [rolecall, 'migrate'], {
    env: { ...process.env, ...env },
    stdio: 'inherit',
  })
  const [code] = await once(migrating, 'exit')
  if (code !== 0) throw new Error('The migrations failed.')
  const took = (performance.now() - from) / 1_000
  const { lockMs, answerMs } = await stopWatch()
  console.log(
    `migrated in ${took.toFixed(1)} s beside the old version: longest wait for a lock ${lockMs.toFixed(0)} ms, longest validation ${answerMs.toFixed(0)} ms`,
  )

  for (let turns = 0; turns < 2 || load.answered() < size.requests; turns++) {
    const [leaves, comes] =
      turns % 2 === 0 ? /** @type {const} */ (['old', 'new']) : /** @type {const} */ (['new', 'old'])
    for (const pair of pairs) {
      const exitCode = await pair[leaves].stop()
      if (exitCode !== 0) throw new Error(`An instance of the ${leaves} version ended with ${exitCode}.`)
      await pair[comes].start()
      await sleep(1_000)
    }
    console.log(`all ${comes}: ${load.answered()} answered`)
  }
  const { answered, lost } = await load.stop()
  for (const pair of pairs) await Promise.all([pair.old.kill(), pair.new.kill()])
  console.log(`${answered} requests answered, ${lost.length} lost`)
  for (const what of lost.slice(0, 20)) console.log(`  ${what}`)
  if (lost.length > 0) process.exitCode = 1
} finally {
  await postgres.stop()
  await removeFolder(folder)
}
// Exits explicitly. Otherwise, the database's package would end the process with the code 0.
process.exit()
