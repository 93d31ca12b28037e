import { connect } from 'node:net'
import { DiscordAPIError, HTTPError, REST } from '@discordjs/rest'
import { type APIGuild, type APIGuildMember, type APIUser, Routes } from 'discord-api-types/v10'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type ChatSim, demo, startChatSim } from '../index.ts'

let sim: ChatSim
let rest: REST
beforeAll(async () => {
  sim = await startChatSim()
})
beforeEach(() => {
  const rejectOnRateLimit = (limit: { retryAfter: number }) =>
    limit.retryAfter === 0 || limit.retryAfter > 500
  const base = {
    version: '10',
    api: sim.apiUrl,
    cdn: sim.cdnUrl,
    timeout: 1_000,
    retries: 0,
    rejectOnRateLimit,
  }
  rest = new REST(base).setToken(demo.botToken)
})
afterEach(() => sim.reset())
afterAll(() => sim.close())

const { mainGuildId: club, users } = demo
const memberOf = (user: string, guild: string = club) =>
  rest.get(Routes.guildMember(guild, user)) as Promise<APIGuildMember>
const refusalOf = async (request: Promise<unknown>) => {
  const error = await request.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  return error instanceof DiscordAPIError ? [error.status, error.code] : error
}

describe('with @discordjs/rest', () => {
  it('reads a member, a user, the bot and a server', async () => {
    expect(await memberOf(users.ada)).toMatchObject({
      nick: 'Ada (first mate)',
      roles: [demo.roles.crew],
      joined_at: '2023-05-02T18:00:00.000000+00:00',
      user: { id: users.ada, username: 'ada.osei', global_name: 'Ada Osei', discriminator: '0' },
    })
    const user = (await rest.get(Routes.user(users.emil))) as APIUser
    expect(user).not.toHaveProperty('email')
    expect(await rest.get(Routes.user())).toMatchObject({ id: demo.clientId, bot: true })
    const guild = (await rest.get(Routes.guild(club), {
      query: new URLSearchParams('with_counts=true'),
    })) as APIGuild
    expect(guild).toMatchObject({ name: 'Harbour Club', approximate_member_count: 1_211 })
    expect(guild.roles.length).toBeGreaterThan(8)
    expect(await rest.get(Routes.currentApplication())).toMatchObject({ flags: 1 << 15 })
  })

  it('pages through all members in order of id', async () => {
    const seen: string[] = []
    for (let after = '0'; ; ) {
      const query = new URLSearchParams({ limit: '500', after })
      const page = (await rest.get(Routes.guildMembers(club), { query })) as APIGuildMember[]
      seen.push(...page.map((member) => member.user.id))
      if (page.length < 500) break
      after = seen.at(-1) ?? '0'
    }
    expect(seen).toHaveLength(1_211)
    expect(seen).toEqual([...new Set(seen)].sort((a, b) => Number(BigInt(a) - BigInt(b))))
    expect(await rest.get(Routes.guildMembers(club))).toHaveLength(1)
  })

  it('refuses with the platform’s codes', async () => {
    expect(await refusalOf(memberOf(users.emil))).toEqual([404, 10007])
    expect(await refusalOf(memberOf('147411382252479999'))).toEqual([404, 10013])
    expect(await refusalOf(memberOf('nonsense'))).toEqual([400, 50035])
    expect(await refusalOf(memberOf(users.mara, '1100000000000000002'))).toEqual([404, 10004])
    sim.world.kickBot(club)
    expect(await refusalOf(memberOf(users.mara))).toEqual([403, 50001])
    expect(await refusalOf(rest.get(Routes.guild(club)))).toEqual([404, 10004])
    sim.app.memberIntent = false
    expect(await refusalOf(rest.get(Routes.guildMembers(demo.gamesGuildId)))).toEqual([403, 50001])
    expect(await refusalOf(rest.get('/nowhere'))).toEqual([404, 0])
    expect(await refusalOf(new REST({ api: sim.apiUrl }).setToken('wrong').get(Routes.user()))).toEqual([
      401, 0,
    ])
  })

  it('shows live edits, and is back to the seed after a reset', async () => {
    sim.world.setRoles(club, users.ada, [demo.roles.captain])
    expect((await memberOf(users.ada)).roles).toEqual([demo.roles.captain])
    sim.world.deleteRole(club, demo.roles.captain)
    expect((await memberOf(users.ada)).roles).toEqual([])
    sim.world.removeMember(club, users.ada)
    expect(await refusalOf(memberOf(users.ada))).toEqual([404, 10007])
    await sim.reset()
    expect((await memberOf(users.ada)).roles).toEqual([demo.roles.crew])
  })

  it('posts to a webhook and keeps what was said', async () => {
    const route = Routes.webhook(demo.webhook.id, demo.webhook.token)
    const send = (body: unknown, wait = false) =>
      rest.post(route, { body, auth: false, query: new URLSearchParams(wait ? 'wait=true' : '') })
    await send({ content: 'ahoy', allowed_mentions: { parse: [] } })
    expect(await send({ embeds: [{ title: 'Notice' }] }, true)).toMatchObject({
      embeds: [{ title: 'Notice' }],
    })
    expect(sim.inbox.messages()).toMatchObject([
      { body: { content: 'ahoy' } },
      { webhookId: demo.webhook.id },
    ])
    expect(await refusalOf(send({ embeds: [{ title: 'x'.repeat(257) }] }))).toEqual([400, 50035])
    for (const embeds of [7, [null], [{ fields: [1] }]]) {
      expect(await refusalOf(send({ embeds }))).toEqual([400, 50035])
    }
    expect(await refusalOf(send({}))).toEqual([400, 50006])
    expect(
      await refusalOf(rest.post(Routes.webhook(demo.webhook.id, 'x'), { body: {}, auth: false })),
    ).toEqual([401, 50027])
    sim.world.deleteWebhook(demo.webhook.id)
    expect(await refusalOf(send({ content: 'x' }))).toEqual([404, 10015])
  })

  it('draws pictures at the addresses that clients build', async () => {
    for (const address of [
      rest.cdn.avatar(users.mara, 'a_00'),
      rest.cdn.defaultAvatar(3),
      rest.cdn.icon(club, 'ff'),
    ]) {
      const reply = await fetch(address)
      expect([reply.status, reply.headers.get('content-type')]).toEqual([
        200,
        expect.stringMatching(/^image\/(png|svg\+xml)$/),
      ])
    }
  })
})

describe('rate limits', () => {
  const raw = (path: string) =>
    fetch(`${sim.apiUrl}/v10${path}`, { headers: { authorization: `Bot ${demo.botToken}` } })

  it('sends the headers on every reply, per route and server', async () => {
    sim.rateLimits.setLimit('member', { limit: 2, perMs: 60_000 })
    const left = async (path: string) => (await raw(path)).headers.get('x-ratelimit-remaining')
    expect(await left(`/guilds/${club}/members/${users.mara}`)).toBe('1')
    expect(await left(`/guilds/${club}/members/${users.emil}`)).toBe('0')
    expect(await left(`/guilds/${demo.gamesGuildId}/members/${users.mara}`)).toBe('1')
    const refused = await raw(`/guilds/${club}/members/${users.mara}`)
    expect(refused.status).toBe(429)
    expect(Object.fromEntries(refused.headers)).toMatchObject({
      'x-ratelimit-scope': 'user',
      'retry-after': '60',
      'x-ratelimit-bucket': expect.stringMatching(/^[0-9a-f]{32}$/),
    })
    expect(await refused.json()).toMatchObject({ global: false, retry_after: expect.any(Number) })
  })
})

describe('faults', () => {
  it('fails as often as asked, and then no more', async () => {
    sim.failNext('member', { status: 503 }, { times: 2 })
    expect(await refusalOf(memberOf(users.mara))).toBeInstanceOf(HTTPError)
    await expect(rest.get(Routes.guild(club))).resolves.toBeDefined()
    expect(await refusalOf(memberOf(users.mara))).toBeInstanceOf(HTTPError)
    await expect(memberOf(users.mara)).resolves.toBeDefined()
  })

  it('fails for a time', async () => {
    sim.failFor('*', { status: 404, code: 10004 }, 5_000)
    expect(await refusalOf(memberOf(users.mara))).toEqual([404, 10004])
    sim.clock.advance(5_001)
    await expect(memberOf(users.mara)).resolves.toBeDefined()
  })

  it('can aim at a caller or a path', async () => {
    sim.failNext('member', { status: 403, code: 50001 }, { path: users.joon })
    await expect(memberOf(users.mara)).resolves.toBeDefined()
    expect(await refusalOf(memberOf(users.joon))).toEqual([403, 50001])
  })

  it.each([
    ['429 with a wait', { status: 429, retryAfterSec: 40_000 }, /RateLimitError|limit/i],
    ['429 without headers', { status: 429, headerless: true }, /RateLimitError|limit/i],
    ['HTML instead of JSON', { status: 502, html: true }, /Bad Gateway/],
    ['connection reset', { reset: true }, /reset|closed|socket/i],
    ['half of the JSON', { truncate: true }, /JSON/],
    ['cut in the middle', { truncate: 'cut' as const }, /terminated|closed|socket/i],
    ['HTML with 200', { html200: true }, undefined],
  ])('makes @discordjs/rest meet: %s', async (_name, fault, message) => {
    sim.failNext('member', fault, { times: 5 })
    const outcome = await memberOf(users.mara).catch((error: Error) => error)
    if (message) expect(String((outcome as Error).name) + String(outcome)).toMatch(message)
    else expect(outcome).not.toHaveProperty('user')
  })

  it('refuses connections while down and is back on the same port', async () => {
    await sim.down()
    // A client may fail on its kept connection first, and only then be refused a new one.
    await expect(memberOf(users.mara)).rejects.toThrow(/closed|reset|ECONNREFUSED/)
    const socket = connect(Number(new URL(sim.url).port), '127.0.0.1')
    const refused = await new Promise((resolve) => socket.once('error', resolve))
    expect(refused).toMatchObject({ code: 'ECONNREFUSED' })
    await sim.up()
    await expect(memberOf(users.mara)).resolves.toBeDefined()
  })

  it('keeps a journal of what was asked', async () => {
    await memberOf(users.mara)
    expect(sim.journal.entries('member')).toMatchObject([
      { method: 'GET', path: `/api/v10/guilds/${club}/members/${users.mara}`, auth: 'bot', status: 200 },
    ])
    expect(sim.journal.count('member')).toBe(1)
  })
})
