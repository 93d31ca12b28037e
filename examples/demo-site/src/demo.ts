import { relative, resolve } from 'node:path'
import { demo, demoWorld, startChatSim } from '@rolecall/chat-sim'
import { Rolecall } from '@rolecall/sdk'
import { openAdministration } from './administration.ts'
import { CannotStart } from './cannot-start.ts'
import { registerProject } from './demo-project.ts'
import { openKeep } from './keep.ts'
import { claimPorts } from './ports.ts'
import { sampleSession } from './sample-session.ts'
import { seed } from './seed.ts'
import { type Service, startService } from './service.ts'
import { startSite } from './site/start-site.ts'
import { summary } from './summary.ts'

// The program of `npm start`. Runs the simulated chat platform, the service, and a site that uses it, until Ctrl-C.

/** The started parts, newest last. They are stopped in the opposite order. */
const running: { close(): Promise<unknown> }[] = []
let isStopping = false

/**
 * The delay, in milliseconds, of the response with the address of the gateway. After the service has connected, it
 * reads all members again. The delay lets it first handle the requests for which the start waits.
 */
const gatewayDelayMs = 500

/** Starts all parts, and prints their addresses. */
export async function start() {
  try {
    await startAll()
  } catch (error) {
    // Ignores errors after Ctrl-C. Stopping during the start causes some.
    if (isStopping) return
    console.error(error instanceof CannotStart ? error.message : error)
    await stop(1)
  }
}

async function startAll() {
  const folder = resolve('.rolecall')
  const ports = await claimPorts(process.env)
  const keep = await openKeep(folder)
  const urls = { service: `http://127.0.0.1:${ports.service}`, site: `http://127.0.0.1:${ports.site}` }
  if (!keep.kept.isSeeded) console.log('Creating the database and community of the demo…')

  const sim = await startChatSim({ port: ports.chat, world: demoWorld({ crowd: 450 }) })
  running.push(sim)
  sim.allowRedirect(`${urls.service}/api/auth/callback`)
  if (keep.kept.isSeeded) sim.failNext('gateway', { delayMs: gatewayDelayMs })
  const service = startService({ url: urls.service, port: ports.service, folder, sim, keep })
  running.push(service)
  await service.listening
  void stopWhenEnded(service)

  const redirectUri = `${urls.site}/callback`
  const administration = await openAdministration({ serviceUrl: urls.service, sim }, keep.kept.adminToken)
  const { token: adminToken } = administration
  await keep.save({ adminToken, serviceUrl: urls.service })
  let { project } = keep.kept
  if (project?.redirectUri !== redirectUri) {
    project = await registerProject(administration, redirectUri, project)
    await keep.save({ project })
  }
  if (!keep.kept.isSeeded) {
    await seed(administration, { serviceUrl: urls.service, sim, site: project })
    await keep.save({ isSeeded: true })
  }
  const rolecall = new Rolecall({ baseUrl: urls.service, apiKey: project.apiKey })
  const login = { clientId: project.id, redirectUri, serverId: demo.mainGuildId }
  const site = await startSite({
    url: urls.site,
    port: ports.site,
    rolecallUrl: urls.service,
    apiKey: project.apiKey,
    login,
    controlUrl: sim.controlUrl,
    // The service returns addresses at Discord's picture server. The site replaces them by the simulator's addresses.
    pictures: { from: 'https://cdn.discordapp.com', to: sim.cdnUrl },
  })
  running.push(site)
  // The time since the process started, which includes builds.
  const listeningMs = performance.now()

  const sample = await sampleSession(rolecall, sim, login, project.sampleToken)
  if ('token' in sample && sample.token !== project.sampleToken)
    await keep.save({ project: { ...project, sampleToken: sample.token } })
  console.log(
    summary({
      urls,
      controlUrl: sim.controlUrl,
      project,
      sample,
      adminToken,
      place: relative(process.cwd(), folder),
      listeningMs,
    }),
  )
}

async function stopWhenEnded(service: Service) {
  await service.ended
  if (isStopping) return
  console.error(`The service stopped unexpectedly. ${service.logFile} may contain the reason.`)
  await stop(1)
}

/** Stops all started parts, and then exits. A second call has no effect. */
export async function stop(exitCode: number) {
  if (isStopping) return
  isStopping = true
  if (exitCode === 0)
    console.log('\nThe demo has ended. Its data stays in .rolecall; npm start continues with it.')
  for (const part of running.reverse()) await part.close().catch(() => {})
  process.exit(exitCode)
}
