import { demo } from '@rolecall/chat-sim'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { givenAdministration } from '../../../test/administration.ts'
import { mainEngines } from '../../../test/databases.ts'
import { madeForTests } from '../../../test/made-for-tests.ts'
import { worldForTests } from '../../../test/world-for-tests.ts'
import { isWebhookUrl } from '../../chat/discord/webhook/webhook-url.ts'
import { sql } from '../../platform/db/sql.ts'

const { id, token } = demo.webhook
const tail = `webhooks/${id}/${token}`
const chatApiUrl = 'https://discord.com/api'
const standIn = 'http://127.0.0.1:4567/api'

const isTaken = (url: string, apiUrl = chatApiUrl) => isWebhookUrl(url, { chatApiUrl: apiUrl })

describe('webhook addresses', () => {
  test.each([
    `https://discord.com/api/${tail}`,
    `https://discord.com/api/v10/${tail}`,
    `https://canary.discord.com/api/${tail}`,
    `https://ptb.discord.com/api/${tail}`,
    `https://discordapp.com/api/${tail}`,
  ])('%s is taken', (url) => {
    expect(isTaken(url)).toBe(true)
  })

  test('the host of CHAT_API_URL is taken too, in plain http only where it is a loopback address', () => {
    expect(isTaken(`http://127.0.0.1:4567/api/${tail}`, standIn)).toBe(true)
    expect(isTaken(`http://127.0.0.1:4568/api/${tail}`, standIn)).toBe(false)
    expect(isTaken(`http://127.0.0.1/api/${tail}`, standIn)).toBe(false)
    expect(isTaken(`https://chat.internal/api/${tail}`, 'http://chat.internal/api')).toBe(true)
    expect(isTaken(`http://chat.internal/api/${tail}`, 'http://chat.internal/api')).toBe(false)
    expect(isTaken(`http://discord.com/api/${tail}`)).toBe(false)
  })

  test.each([
    `https://discord.com.evil.example/api/${tail}`,
    `https://evil.example/api/${tail}`,
    `https://evil.example#discord.com/api/${tail}`,
    `https://discord.com@evil.example/api/${tail}`,
    `https://evil.example\\@discord.com/api/${tail}`,
    `https://user@discord.com/api/${tail}`,
    `https://discord.com:443/api/${tail}`,
    `https://discord.com:8443/api/${tail}`,
    `https://discord.com./api/${tail}`,
    `https://DISCORD.com/api/${tail}`,
    `HTTPS://discord.com/api/${tail}`,
    `//discord.com/api/${tail}`,
    `javascript://discord.com/api/${tail}`,
    `https://discord.com/${tail}`,
    `https://discord.com/api/../${tail}`,
    `https://discord.com/api/v/${tail}`,
    `https://discord.com/api/v1000/${tail}`,
    `https://discord.com/api/${tail}/`,
    `https://discord.com/api/${tail}/slack`,
    `https://discord.com/api/${tail}?wait=true`,
    `https://discord.com/api/${tail}#x`,
    `https://discord.com/api/webhooks/${id}/`,
    `https://discord.com/api/webhooks/${id}`,
    `https://discord.com/api/webhooks/1234/${token}`,
    `https://discord.com/api/webhooks/18446744073709551616/${token}`,
    `https://discord.com/api/webhooks/${id}/to%6ben`,
    `https://discord.com/api/webhooks/${id}/to ken`,
    ` https://discord.com/api/${tail}`,
    `https://discord.com/api/${tail}\n`,
    'http://169.254.169.254/latest/meta-data',
    'https://[::1]/api/webhooks',
    '',
  ])('%j is refused', (url) => {
    expect(isTaken(url)).toBe(false)
  })

  test('every accepted address leads to a host of the platform, by the rules of a browser', () => {
    const piece = fc.constantFrom(
      'https:',
      'http:',
      '//',
      '/',
      '\\',
      '@',
      '#',
      '?',
      ':',
      '.',
      '%2f',
      'discord.com',
    )
    const more = fc.constantFrom(
      'evil.example',
      'api',
      'v10',
      'webhooks',
      id,
      token,
      tail,
      `/api/${tail}`,
      ' ',
    )
    fc.assert(
      fc.property(fc.array(fc.oneof(piece, more), { maxLength: 9 }), (pieces) => {
        const url = pieces.join('')
        if (isTaken(url)) expect(new URL(url).origin).toBe('https://discord.com')
      }),
      { numRuns: 20_000 },
    )
    const mutated = fc.tuple(fc.nat(), fc.string({ unit: 'binary', maxLength: 3 })).map(([at, text]) => {
      const url = `https://discord.com/api/${tail}`
      return url.slice(0, at % url.length) + text + url.slice((at % url.length) + 1)
    })
    fc.assert(
      fc.property(mutated, (url) => {
        if (isTaken(url)) expect(new URL(url).origin).toBe('https://discord.com')
      }),
      { numRuns: 5_000 },
    )
  })
})

describe.each(mainEngines)('webhookUrl of a project on %s', (engine) => {
  const world = worldForTests(engine)
  const webhookUrl = `https://discord.com/api/${tail}`
  const admin = madeForTests(() => givenAdministration(world))

  const sealedOf = async (projectId: string) =>
    await world.service.deps.db.maybeOne<{ sealed: Uint8Array | null; whole: string }>(sql`
        select webhook_url_sealed as sealed, p::text as whole from projects p where id = ${projectId}`)

  test('is sealed at rest, and nothing after its host is ever shown', async () => {
    const { project } = await admin.create({ webhookUrl })
    expect((await admin.projects('GET', `/${project.id}`)).body.webhookUrl).toBe('https://discord.com/…')
    const stored = await sealedOf(project.id)
    expect(stored?.sealed?.[0]).toBe(1)
    expect(Buffer.from(stored?.sealed ?? []).includes(token)).toBe(false)
    expect(stored?.whole).not.toContain(token)
  })

  test('of the stand-in is taken, null clears it, and the audit entry shows hosts only', async () => {
    const { project } = await admin.create()
    const local = `${world.sim.apiUrl}/v10/${tail}`
    const path = `/${project.id}`
    const set = await admin.projects('PATCH', path, { webhookUrl: local })
    expect([set.status, set.body.webhookUrl]).toEqual([200, `${world.sim.url}/…`])
    const cleared = await admin.projects('PATCH', path, { webhookUrl: null })
    expect([cleared.status, cleared.body.webhookUrl]).toEqual([200, null])
    expect((await sealedOf(project.id))?.sealed).toBeNull()
    const entries = (await admin.audit(project.id)).slice(1)
    expect(entries.map(({ changes }) => changes)).toEqual([
      { webhookUrl: { before: null, after: world.sim.url } },
      { webhookUrl: { before: world.sim.url, after: null } },
    ])
  })

  test.each([
    'https://evil.example/api/webhooks/1/a',
    `https://evil.example/api/${tail}`,
    'https://discord.com/…',
    '',
    5,
  ])('400 for %j, at creation and later', async (bad) => {
    const { project } = await admin.create({ webhookUrl })
    const before = await sealedOf(project.id)
    const replies = [
      await admin.projects('POST', '', { name: 'Bad webhook', webhookUrl: bad }),
      await admin.projects('PATCH', `/${project.id}`, { webhookUrl: bad }),
    ]
    for (const { status, body } of replies) expect([status, body.code]).toEqual([400, 'VALIDATION_FAILED'])
    expect(await sealedOf(project.id)).toEqual(before)
  })

  test('swapped between two rows is unreadable in both', async () => {
    const one = (await admin.create({ webhookUrl })).project.id
    const two = (await admin.create({ webhookUrl: `${webhookUrl}2` })).project.id
    await world.service.deps.db.execute(sql`
      update projects p set webhook_url_sealed = o.webhook_url_sealed from projects o
      where p.id in (${one}, ${two}) and o.id in (${one}, ${two}) and o.id <> p.id`)
    for (const project of [one, two]) {
      const reply = await admin.projects('GET', `/${project}`)
      expect([reply.status, reply.body.code]).toEqual([500, 'SECRET_UNREADABLE'])
    }
  })
})

describe('webhookUrl under another key', () => {
  const world = worldForTests('postgres')
  const webhookUrl = `https://discord.com/api/${tail}`
  const admin = madeForTests(() => givenAdministration(world))

  test('500 SECRET_UNREADABLE for that record alone, until the address is set anew', async () => {
    const { project } = await admin.create({ webhookUrl })
    const other = await admin.create()
    const { url } = await world.another({ OUTBOUND_WEBHOOK_ENCRYPTION_KEY: 'f'.repeat(64) })
    const path = `/${project.id}`
    const read = () => admin.projects('GET', path, undefined, url)
    expect([(await read()).status, (await read()).body.code]).toEqual([500, 'SECRET_UNREADABLE'])
    const works: [string, string, object?][] = [
      ['GET', ''],
      ['GET', `/${other.project.id}`],
      ['GET', `${path}/api-key`],
      ['PATCH', path, { description: 'Other fields can be changed' }],
      ['PATCH', `${path}/redirect-uri`, { redirectUri: 'https://a.example/' }],
      ['POST', `${path}/regenerate-api-key`],
    ]
    for (const [method, where, body] of works) {
      expect((await admin.projects(method, where, body, url)).status, `${method} ${where}`).toBe(200)
    }
    await admin.projects('PATCH', path, { webhookUrl }, url)
    expect((await read()).status).toBe(200)
  })

  test('500 ENCRYPTION_KEY_MISSING when there is no key to seal or to open with, and nothing is made', async () => {
    const { project } = await admin.create()
    const { url } = await world.another({ OUTBOUND_WEBHOOK_ENCRYPTION_KEY: '' })
    const replies = [
      await admin.projects('POST', '', { name: 'No key', webhookUrl }, url),
      await admin.projects('PATCH', `/${project.id}`, { webhookUrl }, url),
    ]
    for (const { status, body } of replies) {
      expect([status, body.code]).toEqual([500, 'ENCRYPTION_KEY_MISSING'])
      expect(body.detail).toContain('OUTBOUND_WEBHOOK_ENCRYPTION_KEY')
    }
    expect((await admin.projects('GET', '?name=No%20key')).body.total).toBe(0)
    // Reading fails for the missing key as well, and the error does not report a changed key.
    const sealed = await admin.create({ webhookUrl })
    const read = await admin.projects('GET', `/${sealed.project.id}`, undefined, url)
    expect([read.status, read.body.code]).toEqual([500, 'ENCRYPTION_KEY_MISSING'])
    expect(read.body.detail).toContain('The outbound-webhook encryption key')
    expect((await admin.projects('PATCH', `/${project.id}`, { description: 'x' }, url)).status).toBe(200)
  })
})
