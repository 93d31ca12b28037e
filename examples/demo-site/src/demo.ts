import { relative, resolve } from 'node:path'
import { demo, startChatSim } from '@rolecall/chat-sim'
import { Rolecall } from '@rolecall/sdk'
import { CannotStart } from './cannot-start.ts'
import { type Keep, openKeep, type Project } from './keep.ts'
import { claimPorts } from './ports.ts'
import { sampleSession } from './sample-session.ts'
import { type Service, seedProject, serviceEnvironment, startService } from './service.ts'
import { startSite } from './site/start-site.ts'
import { summary } from './summary.ts'

// `npm start`: the stand-in of the chat platform, the service, and a site that uses it, until Ctrl-C.

/** What has been started, newest last; ended in the opposite order. */
const running: { close(): Promise<unknown> }[] = []
let isStopping = false

process.on('SIGINT', () => stop(0))
process.on('SIGTERM', () => stop(0))
process.on('SIGHUP', () => stop(0))

try {
  await start()
} catch (error) {
  // Ctrl-C during the start makes things fail that are no failures.
  if (!isStopping) {
    console.error(error instanceof CannotStart ? error.message : error)
    await stop(1)
  }
}

async function start() {
  const folder = resolve('.rolecall')
  const ports = await claimPorts(process.env)
  const keep = await openKeep(folder)

  const sim = await startChatSim({ port: ports.chat })
  running.push(sim)
  const urls = { service: `http://127.0.0.1:${ports.service}`, site: `http://127.0.0.1:${ports.site}` }
  sim.allowRedirect(`${urls.service}/api/auth/callback`)
  const options = { url: urls.service, port: ports.service, folder, sim, keep }
  const env = serviceEnvironment(options)
  const redirectUri = `${urls.site}/callback`
  const project = keep.project(urls.site) ?? (await makeProject(keep, env, urls.site, redirectUri))

  const service = startService(options, env)
  running.push({ close: service.stop })
  await service.listening
  void stopWhenEnded(service)
  const rolecall = new Rolecall({ baseUrl: urls.service, apiKey: project.apiKey })
  const login = { clientId: project.id, redirectUri, serverId: demo.mainGuildId }
  const site = await startSite({
    url: urls.site,
    port: ports.site,
    rolecallUrl: urls.service,
    apiKey: project.apiKey,
    login,
    controlUrl: sim.controlUrl,
    // The service names the platform's own picture server; the stand-in draws the same pictures.
    pictures: { from: 'https://cdn.discordapp.com', to: sim.cdnUrl },
  })
  running.push(site)
  // Since the process was started, with what it had to build.
  const listeningMs = performance.now()

  const sampleToken = await sampleSession(rolecall, sim, login, project.sampleToken)
  if (sampleToken !== project.sampleToken) await keep.saveProject(urls.site, { ...project, sampleToken })
  const place = relative(process.cwd(), folder)
  const shown = { urls, controlUrl: sim.controlUrl, project: { ...project, sampleToken }, place }
  console.log(summary({ ...shown, listeningMs }))
}

async function makeProject(
  keep: Keep,
  env: Parameters<typeof seedProject>[0],
  siteUrl: string,
  redirectUri: string,
): Promise<Project> {
  console.log('Making the demo’s database and project…')
  const project = await seedProject(env, `Demo site at ${new URL(siteUrl).host}`, redirectUri)
  await keep.saveProject(siteUrl, project)
  return project
}

async function stopWhenEnded(service: Service) {
  await service.ended
  if (isStopping) return
  console.error(`The service ended by itself; why may stand in ${service.logFile}.`)
  await stop(1)
}

/** Ends everything that has been started and then this process. Asked twice, it goes on ending. */
async function stop(exitCode: number) {
  if (isStopping) return
  isStopping = true
  for (const part of running.reverse()) await part.close().catch(() => {})
  process.exit(exitCode)
}
