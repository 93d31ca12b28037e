import { createHmac } from 'node:crypto'
import { demo } from '@rolecall/chat-sim'
import { type Answer, textOf } from './answer.ts'
import type { Ledger, Project } from './ledger.ts'
import type { Logins } from './logins.ts'
import { club } from './place.ts'
import type { Random } from './random.ts'
import type { Ask } from './requests.ts'
import type { Verdicts } from './verdicts.ts'

export interface Webhook {
  readonly id: string
  readonly secret: string
}

interface Parts {
  readonly ask: Ask
  readonly ledger: Ledger
  readonly logins: Logins
  readonly verdicts: Verdicts
  readonly random: Random
  readonly project: Project
  readonly oidc: Project
  readonly webhook: Webhook
  readonly admin: { token: string }
}

export const oidcUri = 'https://wiki.example/callback'

/** Simulates administrators, forms that submit to webhooks, and clients of OpenID Connect. */
export function serviceTraffic(parts: Parts) {
  const { ask, ledger, logins, verdicts, random, project, oidc, webhook, admin } = parts
  let numbers = 0
  const isUnknown = ({ status }: Answer) => status === 0 || status === 503

  /** Submits a form. Without a response, it retries with the same `Idempotency-Key`, as a careful client does. */
  async function submit() {
    numbers += 1
    const number = numbers
    const body = { number }
    const sign = () => {
      const time = Math.floor(Date.now() / 1_000)
      const mac = createHmac('sha256', webhook.secret)
        .update(`${time}.${JSON.stringify(body)}`)
        .digest('hex')
      return { 'x-svc-signature': `t=${time},v1=${mac}`, 'idempotency-key': `submission-${number}` }
    }
    const send = () =>
      ask('POST', `/api/inbound-webhooks/${webhook.id}/submit`, { key: project.key, body, headers: sign() })
    const first = await send()
    const answer = isUnknown(first) ? await send() : first
    if (answer.status === 201) {
      ledger.submissions.set(number, textOf(answer.body, 'id'))
      ledger.count('submissions')
    } else {
      ledger.submissions.set(number, undefined)
      // SIGNATURE_REPLAYED says nothing: a retry within the same second has the same signature as the first attempt,
      // which may have been accepted.
      if (!isUnknown(answer) && answer.code !== 'SIGNATURE_REPLAYED')
        verdicts.broken(`a submission returned ${answer.status} ${answer.code}`)
    }
  }

  /** Sends a change as an administrator. If it is acknowledged, it must be in the audit log exactly once. */
  async function change(method: string, path: string, body: unknown, what: string): Promise<Answer> {
    const answer = await ask(method, path, { token: admin.token, ...(body !== undefined && { body }) })
    if (answer.status >= 200 && answer.status < 300) {
      ledger.writes.set(answer.requestId, what)
      ledger.count('changes by administrators')
    } else if (isUnknown(answer)) ledger.unansweredWrites.add(answer.requestId)
    else verdicts.broken(`${what} returned ${answer.status} ${answer.code}`)
    return answer
  }

  let turn = 0
  /**
   * True if the current access of the site is known. Otherwise, a change might have no effect, and add no audit entry.
   */
  let isAccessKnown = false
  async function administer() {
    turn += 1
    if (turn % 4 === 1) {
      await change('PATCH', '/api/admin/settings', { cache: { statsTtlMs: 1_000 + turn } }, 'settings.update')
      return
    }
    if (turn % 4 === 2) {
      const scopes = turn % 8 === 2 ? ['read_members', 'check_permissions'] : ['read_members']
      const path = `/api/admin/projects/${oidc.id}/servers/${club}`
      const body = { operations: { SEND_MESSAGES: turn % 8 === 2 }, scopes }
      const { status, requestId } = await change('PUT', path, body, 'access.grant')
      if (!isAccessKnown) ledger.writes.delete(requestId)
      isAccessKnown = status === 200
      return
    }
    const made = await change('POST', '/api/admin/projects', { name: `Soak ${turn}` }, 'project.create')
    if (made.status !== 201) return
    const id = textOf(made.body, 'project', 'id')
    ledger.projects.set(id, 'there')
    await replaceKey(id, textOf(made.body, 'apiKey'))
    if (!random.chance(0.8)) return
    const gone = await change('DELETE', `/api/admin/projects/${id}`, undefined, 'project.delete')
    ledger.projects.set(id, gone.status === 204 ? 'gone' : 'unknown')
  }

  /** Replaces an API key. After the response, every instance must reject the old key, and accept the new one. */
  async function replaceKey(id: string, old: string) {
    const path = `/api/admin/projects/${id}/regenerate-api-key`
    const answer = await change('POST', path, {}, 'project.regenerate_key')
    if (answer.status !== 200) return
    const fresh = textOf(answer.body, 'apiKey')
    const logOutNobody = (key: string, at: number) =>
      ask('POST', '/api/auth/logout-all', { key, body: { memberId: '1' }, at })
    for (const at of [0, 1]) {
      const [refused, taken] = [await logOutNobody(old, at), await logOutNobody(fresh, at)]
      if (refused.status === 200) verdicts.broken('a replaced key is accepted')
      if (taken.status === 401) verdicts.broken(`a new key is refused: ${taken.code}`)
    }
    ledger.count('keys replaced')
  }

  async function read() {
    const { key } = project
    const { token } = admin
    const memberIds = ledger.members.slice(0, 20).map(({ id }) => id)
    const path = `/api/servers/${club}`
    const body = { memberIds, anyOf: [demo.roles.crew] }
    const reads: readonly (() => Promise<Answer>)[] = [
      () => ask('GET', `${path}/members?limit=50`, { key }),
      () => ask('POST', `${path}/permissions/check-many`, { key, body }),
      () => ask('POST', `${path}/permissions/check`, { key, body: { memberId: memberIds[0] } }),
      () => ask('GET', '/api/admin/members?search=soak&limit=20', { token }),
      () => ask('GET', '/api/admin/audit/logs?limit=20', { token }),
      () => ask('GET', '/api/admin/projects', { token }),
      () => ask('GET', '/api/admin/monitoring/health', { token }),
    ]
    const answer = await random.one(reads)()
    if (answer.status !== 200 && !isUnknown(answer))
      verdicts.broken(`a read returned ${answer.status} ${answer.code}`)
    ledger.count('reads')
  }

  /**
   * Signs in by OpenID Connect, reads userinfo, refreshes the tokens, and ends the session. Then both tokens must be
   * invalid.
   */
  async function signOn() {
    await ledger.withMember(async (member) => {
      if (member.leftAt !== undefined || member.isBlocked) return
      const query = new URLSearchParams({
        client_id: oidc.id,
        redirect_uri: oidcUri,
        response_type: 'code',
        scope: 'openid profile roles offline_access',
        state: 's',
      })
      const code = await logins.codeOf(`/oidc/auth?${query}`, member)
      if (code === undefined) return
      const headers = { authorization: `Basic ${Buffer.from(`${oidc.id}:${oidc.key}`).toString('base64')}` }
      const redeem = (form: Record<string, string>) => ask('POST', '/oidc/token', { form, headers })
      const first = await redeem({ grant_type: 'authorization_code', code, redirect_uri: oidcUri })
      if (first.status !== 200) {
        if (!isUnknown(first))
          verdicts.broken(`/oidc/token returned ${first.status} ${textOf(first.body, 'error')}`)
        return
      }
      ledger.count('sign-ins with OpenID Connect')
      await expectUserinfo(textOf(first.body, 'access_token'), 200)
      const rotated = await redeem({
        grant_type: 'refresh_token',
        refresh_token: textOf(first.body, 'refresh_token'),
      })
      const access = textOf(rotated.status === 200 ? rotated.body : first.body, 'access_token')
      if (rotated.status !== 200 && !isUnknown(rotated))
        verdicts.broken(
          `a rotation at /oidc/token returned ${rotated.status} ${textOf(rotated.body, 'error')}`,
        )
      const body = { memberId: member.id }
      const ended = await ask('POST', '/api/auth/logout-all', { key: oidc.key, body })
      if (ended.status === 200) await expectUserinfo(access, 401)
    })
  }

  async function expectUserinfo(token: string, status: number) {
    for (const at of [0, 1]) {
      const answer = await ask('GET', '/oidc/me', { token, at })
      if (answer.status !== status && !isUnknown(answer))
        verdicts.broken(`/oidc/me returned ${answer.status} instead of ${status}`)
    }
  }

  return { submit, administer, read, signOn }
}
