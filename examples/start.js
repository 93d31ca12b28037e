import '../apps/api/bin/check-node.js'
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { isFree } from './demo-site/bin/is-free.js'
import { CannotPrepare, names, prepare } from './prepare.js'

// Runs an example with the packed client library, as a project of the running demo: `npm run example express`.

/** "Harbour Club". */
const serverId = '1100089314336833537'
const port = process.env.EXAMPLE_PORT || '8080'
const appUrl = `http://127.0.0.1:${port}`

async function start() {
  const name = process.argv[2] ?? ''
  if (!names.includes(name))
    return fail(`npm run example <name>, where the name is one of ${names.join(', ')}.`)
  const kept = '.rolecall/demo.json'
  if (!existsSync(kept)) return fail(`${kept} is missing. Run npm start first, in another terminal.`)
  if (!(await isFree(Number(port))))
    return fail(
      `Port ${port} is in use. Stop the program that listens there, or choose another port: EXAMPLE_PORT=${Number(port) + 100} npm run example ${name}`,
    )
  const { project, adminToken, serviceUrl = 'http://127.0.0.1:3000' } = JSON.parse(readFileSync(kept, 'utf8'))
  try {
    await allowRedirect(`${serviceUrl}/api/admin/projects/${project.id}`, adminToken)
  } catch (error) {
    return fail(
      `The demo at ${serviceUrl} rejected the example (${error.cause?.code ?? error.message}). Check that npm start is running.`,
    )
  }
  let example
  try {
    example = await prepare(name)
  } catch (error) {
    if (error instanceof CannotPrepare) return fail(error.message)
    throw error
  }
  const child = spawn(example.program, example.start(port), {
    cwd: example.cwd,
    stdio: 'inherit',
    env: {
      ...process.env,
      PORT: port,
      // SvelteKit's server needs these. Otherwise it would take its address from the request.
      HOST: '127.0.0.1',
      ORIGIN: appUrl,
      ROLECALL_URL: serviceUrl,
      ROLECALL_CLIENT_ID: project.id,
      ROLECALL_SERVER_ID: serverId,
      ROLECALL_APP_URL: appUrl,
      ROLECALL_API_KEY: project.apiKey,
      // The secret is the same at each start, so that members stay signed in.
      ROLECALL_SECRET: createHash('sha256').update(`example ${project.apiKey}`).digest('hex'),
    },
  })
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal))
  child.once('exit', (code) => process.exit(code ?? 0))
}

/**
 * Adds the example's redirect URI to the demo's project, as a System Admin. The demo registers only its own addresses.
 */
async function allowRedirect(path, adminToken) {
  const headers = { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ uri: `${appUrl}/auth/callback` })
  await answerOf(await fetch(`${path}/redirect-uris`, { method: 'POST', headers, body }))
}

async function answerOf(response) {
  const answer = await response.json()
  if (!response.ok) throw new Error(answer.code)
  return answer
}

function fail(sentence) {
  console.error(sentence)
  process.exitCode = 1
}

await start()
