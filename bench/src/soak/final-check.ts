import { execFileSync } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Answer, listOf, textOf } from './answer.ts'
import type { EventClient } from './event-client.ts'
import { rolecall } from './instance.ts'
import { type Ledger, type Project, sorted } from './ledger.ts'
import type { MemberTraffic } from './member-traffic.ts'
import type { SoakPlace } from './place.ts'
import type { Ask } from './requests.ts'
import type { Webhook } from './service-traffic.ts'

interface Parts {
  readonly place: SoakPlace
  readonly ask: Ask
  readonly ledger: Ledger
  readonly traffic: MemberTraffic
  readonly events: EventClient
  readonly project: Project
  readonly webhook: Webhook
  readonly admin: { readonly token: string }
}

/**
 * The maximum time, in milliseconds, until all events have arrived. They are delivered at least once, but not at once.
 */
const eventsDeadlineMs = 60_000

/** Checks all acknowledged changes after everything has recovered. Returns the number of checks, and what was lost. */
export async function checkAll({ place, ask, ledger, traffic, events, project, webhook, admin }: Parts) {
  const checked = new Map<string, number>()
  const lost: string[] = []
  const hold = (what: string, isSo: boolean, text: string) => {
    checked.set(what, (checked.get(what) ?? 0) + 1)
    if (!isSo) lost.push(`${what}: ${text}`)
  }

  /** Reads all pages of a list of the administration. */
  async function* pages(path: string): AsyncGenerator<Answer> {
    for (let cursor = ''; ; ) {
      const page = await ask('GET', `${path}?limit=500${cursor && `&cursor=${cursor}`}`, {
        token: admin.token,
      })
      if (page.status !== 200) throw new Error(`${path} returned ${page.status} ${page.code}`)
      yield page
      cursor = textOf(page.body, 'nextCursor')
      if (cursor === '') return
    }
  }

  for (const member of ledger.members) {
    for (const session of member.sessions) {
      const before = session.state
      for (const at of [0, 1]) {
        const { status, body } = await traffic.validate(member, session, at)
        const mustBe = before === 'live' ? 200 : 401
        if (before === 'unsure' && member.leftAt === undefined) continue
        hold('sessions', status === mustBe, `${session.id} was ${before} and returns ${status}`)
        if (status !== 200) continue
        const roles = sorted(listOf(body, 'roles').map((role) => textOf(role, 'roleId')))
        const held = member.history.at(-1)?.roles
        hold('roles', roles === held, `${member.id} holds ${held}, and the response has ${roles}`)
      }
    }
  }

  const entries = new Map<string, number>()
  for await (const page of pages('/api/admin/audit/logs')) {
    for (const entry of listOf(page.body, 'data')) {
      const id = textOf(entry, 'requestId')
      entries.set(id, (entries.get(id) ?? 0) + 1)
    }
  }
  for (const [id, what] of ledger.writes)
    hold(
      'changes in the audit log',
      entries.get(id) === 1,
      `${what} ${id} has ${entries.get(id) ?? 0} entries`,
    )
  for (const id of ledger.unansweredWrites)
    hold('changes without a response, made at most once', (entries.get(id) ?? 0) <= 1, `${id}`)

  const projects = await ask('GET', '/api/admin/projects', { token: admin.token })
  const there = new Set(listOf(projects.body, 'data').map((one) => textOf(one, 'id')))
  for (const [id, state] of ledger.projects)
    if (state !== 'unknown') hold('projects', there.has(id) === (state === 'there'), `${id} is not ${state}`)

  const kept = new Map<number, string[]>()
  const path = `/api/admin/projects/${project.id}/inbound-webhooks/${webhook.id}/submissions`
  for await (const page of pages(path)) {
    for (const one of listOf(page.body, 'data')) {
      const number = numberOf(one)
      kept.set(number, [...(kept.get(number) ?? []), textOf(one, 'id')])
    }
  }
  for (const [number, id] of ledger.submissions) {
    const found = kept.get(number) ?? []
    const isSo = id === undefined ? found.length <= 1 : found.length === 1 && found[0] === id
    hold('submissions', isSo, `${number} was acknowledged as ${id} and is stored as ${found}`)
  }

  const missing = () => [
    ...[...ledger.revoked.keys()].filter((id) => !events.hasTold('session.revoked', id)),
    ...[...ledger.rotated].filter((id) => !events.hasTold('session.rotated', id)),
  ]
  const deadline = performance.now() + eventsDeadlineMs
  while (missing().length > 0 && performance.now() < deadline) await sleep(500)
  checked.set('events of ended and refreshed sessions', ledger.revoked.size + ledger.rotated.size)
  for (const id of missing()) lost.push(`events: none for ${id}`)
  for (const reason of events.resets) lost.push(`events: the stream was reset (${reason})`)

  const chain = verifyAudit(place.env)
  hold('the audit chain', chain === undefined, chain ?? '')
  return { checked, lost }
}

function numberOf(submission: unknown): number {
  const payload =
    typeof submission === 'object' && submission !== null ? Reflect.get(submission, 'payload') : {}
  const number = typeof payload === 'object' && payload !== null ? Reflect.get(payload, 'number') : -1
  return typeof number === 'number' ? number : -1
}

/** Runs `rolecall audit verify`. Returns its output if it fails. */
function verifyAudit(env: Readonly<Record<string, string>>): string | undefined {
  try {
    execFileSync(process.execPath, [rolecall, 'audit', 'verify'], {
      env: { ...process.env, ...env },
      stdio: 'pipe',
    })
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
