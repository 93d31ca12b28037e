import { isFree } from '../bin/is-free.js'
import { CannotStart } from './cannot-start.ts'

/** The demo's three ports, and the variables that set them. */
const variables = { service: 'PORT', site: 'DEMO_PORT', chat: 'CHAT_SIM_PORT' } as const
const defaults = { service: 3000, site: 3001, chat: 3002 }
type Name = keyof typeof variables
export type Ports = Readonly<Record<Name, number>>

/**
 * Reads the three ports and checks that they are free, before anything is started.
 *
 * @throws CannotStart with one line that says which port is taken and how to continue
 */
export async function claimPorts(env: NodeJS.ProcessEnv): Promise<Ports> {
  const ports = { service: read(env, 'service'), site: read(env, 'site'), chat: read(env, 'chat') }
  const names = Object.keys(ports) as Name[]
  if (new Set(Object.values(ports)).size < names.length) {
    throw new CannotStart('PORT, DEMO_PORT and CHAT_SIM_PORT must be three different ports.')
  }
  const free = await Promise.all(names.map((name) => isFree(ports[name])))
  const taken = names.filter((_, index) => !free[index])
  if (taken.length > 0) throw new CannotStart(inUse(taken, ports))
  return ports
}

function read(env: NodeJS.ProcessEnv, name: Name): number {
  const text = env[variables[name]] || String(defaults[name])
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0
  if (port < 1 || port > 65_535) throw new CannotStart(`${variables[name]} must be a port from 1 to 65535.`)
  return port
}

function inUse(taken: Name[], ports: Ports) {
  const list = new Intl.ListFormat('en').format(taken.map((name) => String(ports[name])))
  const others = taken.map((name) => `${variables[name]}=${(ports[name] + 100) % 65_536}`).join(' ')
  const what = taken.length > 1 ? `Ports ${list} are` : `Port ${list} is`
  return `${what} in use. Stop the program that listens there, or choose another port: ${others} npm start`
}
