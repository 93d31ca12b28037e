import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startChatSim } from '@rolecall/chat-sim'
import { expect, test } from 'vitest'
import { freePort } from '../../../../tools/free-port.js'
import { installOnce } from '../../../../tools/install-once.js'
import { commandsOfPage, read } from '../../../../tools/shown/collect.ts'
import { noteRun, noteSkipped } from '../../../../tools/shown/notes.ts'
import { path, runShown } from '../../../../tools/shown/run.ts'
import { call } from '../client.ts'
import { runCommand } from '../command.ts'
import { copyTemplate } from '../databases.ts'
import { authorizePath, redirectUri, validate, walkLogin } from '../given.ts'
import { bin, startCluster } from './postgres-cluster.ts'
import { packageVersion } from './relying-parties/party.ts'
import { environmentFor, startService } from './service-process.ts'

const page = 'docs/guides/postgresql.md'
const [copy = '', install = '', exports = '', move = ''] = commandsOfPage(page, read(page))
  .filter(({ isBlock }) => isBlock)
  .map(({ text }) => text)
const [, program = ''] = /^ *```js\n([\s\S]*?)^ *```$/m.exec(read(page)) ?? []

if (!bin) for (const text of [copy, install, exports, move]) noteSkipped(text, 'psql is missing')

test.skipIf(!bin)(
  'an embedded database that was moved to PostgreSQL as the guide says has its projects, its audit log, and its sessions',
  async () => {
    expect(install).toContain(`@electric-sql/pglite-tools@${packageVersion('@electric-sql/pglite-tools')}`)
    await installOnce('tools/peers')
    noteRun(install)
    const folder = await mkdtemp(join(tmpdir(), 'rolecall-move-'))
    chmodSync(folder, 0o755)
    symlinkSync(
      fileURLToPath(new URL('../../../../tools/peers/node_modules', import.meta.url)),
      join(folder, 'node_modules'),
    )
    writeFileSync(join(folder, 'export.mjs'), program)
    mkdirSync(join(folder, '.rolecall'))
    await copyTemplate(join(folder, '.rolecall/db'))

    const sim = await startChatSim({ headlessLogin: true })
    const env: Record<string, string> = {
      ...environmentFor(sim, await freePort()),
      DATABASE_URL: 'pglite:.rolecall/db',
    }
    sim.allowRedirect(env['CHAT_CALLBACK_URL'] ?? '')
    await runCommand(folder, ['migrate'], env)
    const made = await runCommand(folder, ['projects', 'create', 'Site', '--redirect-uri', redirectUri], env)
    const [, id = ''] = /^project {2}(\S+)$/m.exec(made.out) ?? []
    const [, key = ''] = /^API key {2}(\S+)/m.exec(made.out) ?? []
    const before = startService(folder, env)
    const { url } = before
    await before.listening
    const code = (await walkLogin({ url, sim }, authorizePath(id))).searchParams.get('code')
    const { token } = (
      await call(url, 'POST', '/api/auth/token', { key, body: { clientId: id, code, redirectUri } })
    ).body
    await before.kill('SIGTERM')
    const verified = await runCommand(folder, ['audit', 'verify'], env)
    expect(verified.out).toMatch(/^ok /)

    await runShown(copy, { cwd: folder })
    await runShown(exports, { cwd: folder })
    const cluster = await startCluster(join(folder, 'cluster'))
    env['DATABASE_URL'] = cluster.url
    const server = { PGHOST: '127.0.0.1', PGPORT: new URL(cluster.url).port, PGUSER: 'rolecall' }
    const said = await runShown(move, { cwd: folder, env: { ...env, ...server, PATH: `${bin}:${path}` } })
    expect(said).toBe(`nothing to do\n${verified.out}`)

    const after = startService(folder, env)
    await after.listening
    expect((await validate({ url }, { id, key }, token)).status).toBe(200)
    await after.kill('SIGTERM')
    cluster.stop()
    await sim.close()
    await rm(folder, { recursive: true, force: true })
  },
  240_000,
)
