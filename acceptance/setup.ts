import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { demo, startChatSim } from '@rolecall/chat-sim'
import type { TestProject } from 'vitest/node'
import { buildOnce } from '../tools/build-once.js'
import { freePort } from '../tools/free-port.js'

declare module 'vitest' {
  interface ProvidedContext {
    /** The address of the tested service. */
    rolecallUrl: string
    /** The address of the simulated chat platform. Empty if the service uses another one. */
    chatSimUrl: string
  }
}

const program = fileURLToPath(new URL('../apps/api/bin/rolecall.js', import.meta.url))

/**
 * Provides the service to test. This is the service at `ROLECALL_URL`. Without that variable, starts the program of the
 * service with a simulated chat platform.
 */
export default async function setup({ provide }: TestProject) {
  const { ROLECALL_URL: given, CHAT_SIM_URL: chatSimUrl = '' } = process.env
  if (given) {
    provide('rolecallUrl', given.replace(/\/+$/, ''))
    provide('chatSimUrl', chatSimUrl)
    if (!chatSimUrl) console.warn('CHAT_SIM_URL is not set, so tests in which members sign in are SKIPPED.')
    return
  }
  await buildOnce()
  const sim = await startChatSim()
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  sim.allowRedirect(`${url}/api/auth/callback`)
  const service = spawn(process.execPath, [program, 'serve'], {
    env: {
      PATH: process.env['PATH'],
      PORT: String(port),
      PUBLIC_URL: url,
      DATABASE_URL: 'pglite::memory:',
      CHAT_API_URL: sim.apiUrl,
      CHAT_AUTHORIZE_URL: sim.authorizeUrl,
      CHAT_CDN_URL: sim.cdnUrl,
      CHAT_CALLBACK_URL: `${url}/api/auth/callback`,
      CHAT_BOT_TOKEN: sim.app.botToken,
      CHAT_CLIENT_ID: sim.app.clientId,
      CHAT_CLIENT_SECRET: sim.app.clientSecret,
      CHAT_GUILD_ID: demo.mainGuildId,
      CHAT_ADMIN_ROLE_ID: demo.adminRoleId,
      CHAT_AUDITOR_ROLE_ID: demo.roles.quiet,
      OUTBOUND_WEBHOOK_ENCRYPTION_KEY: 'acce97a5ce17e08b39d4f1267ac35d90be846f2d7183ae5cf40b92e6d81f7354',
      INBOUND_WEBHOOK_ENCRYPTION_KEY: 'acce97a593b2d4761f0ae85cd7402b9e6138f5a4dc17e2609b85f3ad4c7e018b',
    } as NodeJS.ProcessEnv,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  await untilReady(service, url)
  provide('rolecallUrl', url)
  provide('chatSimUrl', sim.url)
  return async () => {
    const ended = once(service, 'exit')
    service.kill('SIGKILL')
    await ended
    await sim.close()
  }
}

async function untilReady(service: ChildProcess, url: string) {
  // Ends the service even if the run is interrupted.
  const end = () => service.kill('SIGKILL')
  process.once('exit', end)
  service.once('exit', () => process.off('exit', end))
  let output = ''
  for (const stream of [service.stdout, service.stderr]) {
    stream?.on('data', (text) => {
      output += text
    })
  }
  for (;;) {
    if (service.exitCode !== null) throw new Error(`The service did not start:\n${output}`)
    const answer = await fetch(`${url}/api/health/ready`).catch(() => undefined)
    if (answer?.ok) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
