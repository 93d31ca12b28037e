import { type ChatSim, demo } from '@rolecall/chat-sim'
import { parse } from 'csv-parse/sync'
import { expect } from 'vitest'
import { type Call, call, type Reply } from '../client.ts'
import type { Engine } from '../databases.ts'
import { atPlatform, Browser, type GivenProject, givenAdmin, givenProject, givenSession } from '../given.ts'
import { type GivenChannel, givenChannel } from '../given-channel.ts'
import { type GivenWebhook, givenWebhook } from '../given-webhook.ts'
import { givenClient, logIn } from '../oidc.ts'
import { startWorld, type World } from '../service.ts'

// biome-ignore lint/suspicious/noExplicitAny: Each exit picks its value from an untyped body.
type AnyReply = Reply<any>
type Ask = (method: string, path: string, body?: unknown) => Promise<AnyReply>

/** A running service with one record of each kind that stores text. */
export interface Stage {
  readonly world: World
  readonly sim: ChatSim
  /** Sends a request of a System Admin. */
  readonly ask: Ask
  /** Sends a request with the API key of the project. */
  readonly own: Ask
  /** Sends a request of Ada, who is signed in to the project. */
  readonly asAda: Ask
  readonly project: GivenProject
  readonly hook: GivenWebhook
  /** A project with a channel that receives the submissions to its webhook. */
  readonly told: GivenChannel
  readonly toldHook: GivenWebhook
  /** A project without sessions and deliveries, so that its addresses may be replaced. */
  readonly quiet: GivenProject
  readonly client: GivenProject
  /** An OpenID Connect access token of Ada. */
  readonly accessToken: string
  readonly adaToken: string
  readonly ada: string
  /** Returns the text of Ada's account page. */
  readonly accountPage: () => Promise<string>
  /** Asks whether Ada may open a page of a protected host, as a proxy does. */
  readonly askForwardAuth: () => Promise<AnyReply>
}

/** A field that stores text, with all places that show it (its exits). */
export interface StoredField {
  readonly title: string
  /** The fields of the contract that this row sends: `POST /path /body/pointer`. */
  readonly covers: readonly string[]
  /** False for a text that cannot be sent at all, such as a line break in a header. */
  readonly isSendable?: (text: string) => boolean
  /** Returns the text that every exit must show, or undefined if the contract refuses it. */
  readonly kept: (text: string) => string | undefined
  readonly store: (stage: Stage, text: string) => Promise<AnyReply>
  /** Reads the field at every exit. Names of CSV exits begin with `CSV`, because formulas are escaped there. */
  readonly read: (stage: Stage, reply: AnyReply, text: string) => Promise<Record<string, unknown>>
}

/** Returns true for text that a JSON body may contain: without NUL and lone surrogates. */
export const isStorable = (text: string) => !text.includes('\0') && text.isWellFormed()

/** Returns true for text that fits in a request line. */
export const fitsInAddress = (text: string) => text.isWellFormed() && encodeURIComponent(text).length < 10_000

export async function openStage(engine: Engine): Promise<Stage> {
  const world = await startWorld(engine, {
    RATE_LIMIT_GLOBAL: '0',
    PERMISSION_TTL_MS: '3600000',
    STATS_TTL_MS: '0',
    TRUST_PROXY: '127.0.0.1,::1',
  })
  world.service.deps.deliveries.start()
  const admin = await givenAdmin(world)
  const send = (as: Call) => (method: string, path: string, body?: unknown) =>
    call(world.url, method, path, { ...as, ...(body !== undefined && { body }) })
  const ask = send({ token: admin })
  const project = await givenProject(world, { name: 'Stored as sent' })
  const told = await givenChannel(world, { name: 'Told' })
  const operations = { READ: true, SEND_MESSAGES: true, MANAGE_WEBHOOKS: true }
  const scopes = ['read_members', 'check_permissions']
  const path = `/api/admin/projects/${project.id}/servers/${demo.mainGuildId}`
  expect((await ask('PUT', path, { operations, scopes })).status).toBe(200)
  const client = await givenClient(world)
  const { ada, joon } = demo.users
  await givenSession(world, project, joon)
  const { token: adaToken } = await givenSession(world, project, ada)
  return {
    world,
    sim: world.sim,
    ask,
    own: send({ key: project.key }),
    asAda: send({ token: adaToken }),
    project,
    hook: await givenWebhook(world, project, { schema: {}, allowedRoleIds: Object.values(demo.roles) }),
    told,
    toldHook: await givenWebhook(world, told, { schema: {} }),
    quiet: await givenProject(world, { name: 'Quiet', serverIds: [demo.mainGuildId] }),
    client,
    accessToken: (await logIn(world, client, { as: ada })).access_token,
    adaToken,
    ada,
    accountPage: await openAccount(world, ada),
    askForwardAuth: await openProtectedHost(world, ask, ada),
  }
}

const html: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"' }
const accept = 'text/html'

async function openAccount(world: World, as: string): Promise<Stage['accountPage']> {
  const browser = new Browser(world.url)
  const screen = (await browser.get('/account', { accept })).headers.get('location') ?? ''
  await browser.get(await atPlatform(screen, { as }), { accept })
  return async () =>
    (await browser.get('/account', { accept })).text.replaceAll(
      /&(?:#(\d+)|(\w+));/g,
      (whole, code: string | undefined, name: string) =>
        code === undefined ? (html[name] ?? whole) : String.fromCodePoint(Number(code)),
    )
}

async function openProtectedHost(world: World, ask: Ask, as: string): Promise<Stage['askForwardAuth']> {
  const { id } = await givenProject(world, { isInternal: true })
  const host = 'wiki.example.org'
  await ask('PATCH', `/api/admin/projects/${id}`, { forwardAuth: { hosts: [host] } })
  const asked = { 'x-forwarded-proto': 'https', 'x-forwarded-host': host }
  const [onHost, onService] = [new Browser(world.url), new Browser(world.url)]
  const pathOf = ({ headers }: AnyReply) => {
    const { pathname, search } = new URL(headers.get('location') ?? '')
    return pathname + search
  }
  const start = await onHost.get('/_rolecall/start?rd=/', asked)
  const authorize = await onService.get(pathOf(start))
  const callback = await onService.get(await atPlatform(authorize.headers.get('location') ?? '', { as }))
  await onHost.get(pathOf(callback), asked)
  return () =>
    onHost.get('/api/forward-auth', { ...asked, 'x-forwarded-uri': '/', 'x-forwarded-method': 'GET' })
}

/** Downloads a CSV file and returns its rows. */
export async function csvRows({ ask }: Pick<Stage, 'ask'>, path: string): Promise<Record<string, string>[]> {
  const reply = await ask('GET', path)
  expect(reply.status, reply.text).toBe(200)
  return parse(reply.text, { columns: true, bom: true })
}

/** Reads the newest audited value of a field, from the list and from the CSV export. */
export async function auditedChange(
  stage: Stage,
  targetId: string,
  field: string,
  at = (value: unknown) => value,
) {
  // The export of personal data adds entries about the same target.
  const query = `limit=5&targetId=${targetId}`
  const { data } = (await stage.ask('GET', `/api/admin/audit/logs?${query}`)).body
  const rows = await csvRows(stage, `/api/admin/audit/logs/export?${query}`)
  const newest = (changes: Record<string, { after: unknown }>[]) =>
    at(changes.find((one) => one !== null && field in one)?.[field]?.after)
  return {
    'audit log': newest(data.map(({ changes }: { changes: object }) => changes)),
    'CSV of the audit log': newest(rows.map((row) => JSON.parse(row['changes'] || 'null'))),
  }
}

/** Downloads the personal data of a member. */
export const personalData = async ({ ask }: Stage, memberId: string) =>
  (await ask('GET', `/api/admin/members/${memberId}/data`)).body

export const byId = (id: string) => (one: { id: string }) => one.id === id
