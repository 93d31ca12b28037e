import { demo } from '@rolecall/chat-sim'
import { fieldsOf, formats, type MemberAnswer, memberField, storedFields } from '@rolecall/contract'
import { expect } from 'vitest'
import { exchange, givenCode, validate } from '../given.ts'
import { authPath, claimsOf, clientUri, redeem, userinfo, walk } from '../oidc.ts'
import {
  auditedChange,
  byId,
  csvRows,
  fitsInAddress,
  isStorable,
  personalData,
  type Stage,
  type StoredField,
} from './field.ts'

const { joon, mara } = demo.users
const { mainGuildId, gamesGuildId, roles } = demo
const ofClub = ({ serverId }: { serverId: string }) => serverId === mainGuildId

const blockReason: StoredField = {
  title: 'the reason of a block',
  covers: ['PUT /api/admin/members/{id}/block /reason'],
  kept: (text) => (text.length <= 500 && formats.name(text) ? text : undefined),
  store: ({ ask }, text) => ask('PUT', `/api/admin/members/${joon}/block`, { reason: text }),
  read: async (stage, { body }) => ({
    answer: body.reason,
    member: (await stage.ask('GET', `/api/admin/members/${joon}/servers`)).body.block.reason,
    'personal data': (await personalData(stage, joon)).block.reason,
    ...(await auditedChange(stage, joon, 'reason')),
  }),
}

const controls = /[\p{Cc}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]/u

const preferredName: StoredField = {
  title: 'a preferred name',
  covers: ['PATCH /api/admin/profile /preferredName'],
  kept: (text) => {
    const name = text.normalize('NFC')
    const isTaken =
      [...name].length <= 255 &&
      text.length <= 1_024 &&
      isStorable(text) &&
      !controls.test(name) &&
      /[^\p{White_Space}\p{Default_Ignorable_Code_Point}\u2800]/u.test(name) &&
      !/\p{M}{9}/u.test(name)
    return isTaken ? name : undefined
  },
  store: ({ ask }, text) => ask('PATCH', '/api/admin/profile', { preferredName: text }),
  read: async (stage, { body }) => ({
    answer: body.preferredName,
    profile: (await stage.ask('GET', '/api/admin/profile')).body.preferredName,
    'personal data': (await personalData(stage, mara)).profile.preferredName,
    ...(await auditedChange(stage, mara, 'preferredName')),
  }),
}

/** Returns the stored form of a user agent: printable characters only, at most 512. */
const keptUserAgent = (text: string) =>
  text
    .replace(/[\p{Cc}\p{Cs}\p{Cf}]/gu, '')
    .slice(0, 512)
    .toWellFormed()

const userAgent: StoredField = {
  title: 'the user agent of a session',
  covers: ['POST /api/auth/token X-Client-User-Agent'],
  isSendable: (text) => !/\p{Cc}/u.test(text) && text.isWellFormed() && text.trim() === text,
  kept: keptUserAgent,
  store: async ({ world, project }, text) =>
    exchange(
      world,
      project,
      await givenCode(world, project),
      {},
      {
        'x-client-user-agent': Buffer.from(text).toString('latin1'),
        'x-client-ip': '203.0.113.7',
      },
    ),
  read: async (stage, { body: { token } }) => {
    const { ask, ada, project } = stage
    const { session } = (await validate(stage.world, project, token)).body
    const sessions = (await ask('GET', `/api/admin/members/${ada}/sessions`)).body.sessions
    const ofProject = (await ask('GET', `/api/admin/projects/${project.id}/sessions?limit=5`)).body.data
    return {
      'sessions of a member': sessions.find(byId(session.id))?.clientInfo.userAgent,
      'sessions of a project': ofProject.find(byId(session.id))?.clientInfo.userAgent,
      'personal data': (await personalData(stage, ada)).sessions.find(byId(session.id))?.userAgent,
    }
  },
}

const oidcState: StoredField = {
  title: 'state and nonce of an OpenID Connect login',
  covers: [],
  isSendable: (text) => fitsInAddress(text) && text.length <= 2_000,
  // The OpenID Connect engine stores JSON, which can escape NUL.
  kept: (text) => text,
  store: async ({ world, client }, text) => {
    const start = await fetch(world.url + authPath(client, { state: text, nonce: text }), {
      redirect: 'manual',
    })
    await start.text()
    return { status: start.status, headers: start.headers, body: undefined, text: '' }
  },
  read: async ({ world, client }, _reply, text) => {
    const end = await walk(world, authPath(client, { state: text, nonce: text }))
    const tokens = await redeem(world, client, end.searchParams.get('code') ?? '')
    expect(`${end.origin}${end.pathname}`).toBe(clientUri)
    return {
      'state of the redirect': end.searchParams.get('state'),
      'nonce of the token': claimsOf(tokens.body.id_token).nonce,
    }
  },
}

/** Text fields of the platform's user object, except the username. */
const userTexts = storedFields.flatMap((name) => {
  const { payload } = memberField(name)
  return payload?.as === 'text' ? [{ name, key: payload.key }] : []
})

/** Returns those of the fields that this response contains, with their values. */
function userTextsIn(
  exit: string,
  answer: MemberAnswer,
  body: Readonly<Record<string, unknown>> | undefined,
) {
  const contained = new Set<string>(fieldsOf(answer))
  return Object.fromEntries(
    userTexts
      .filter(({ name }) => contained.has(name))
      .map(({ name }) => [`${name} in ${exit}`, body?.[name]]),
  )
}

/** Sets every name that the platform has, and reads the server again. */
const platformNames: StoredField = {
  title: 'the names of a member, a role and a server of Discord',
  covers: [
    ...['GET /api/admin/members ?search', 'GET /api/admin/members/cross-server ?search'],
    'GET /api/admin/members/export ?search',
  ],
  kept: (text) => text.replaceAll('\0', '').toWellFormed(),
  store: async ({ sim, ask, ada }, text) => {
    sim.world.updateUser(ada, {
      username: text,
      ...Object.fromEntries(userTexts.map(({ key }) => [key, text])),
    })
    sim.world.setNick(mainGuildId, ada, text)
    sim.world.updateRole(mainGuildId, roles.crew, { name: text })
    sim.world.updateGuild(mainGuildId, { name: text })
    const reply = await ask('POST', `/api/admin/servers/${mainGuildId}/sync`)
    await expect
      .poll(
        async () =>
          (await ask('GET', '/api/admin/servers')).body.data.find(byId(mainGuildId)).lastSync.status,
        {
          interval: 5,
        },
      )
      .toBe('succeeded')
    return reply
  },
  read: async (stage, _reply, text) => {
    const { ask, own, ada, world, project, adaToken, accessToken } = stage
    const found = `search=${encodeURIComponent([...keptOf(text)].slice(0, 50).join(''))}`
    const ofAda = (one: { memberId: string }) => one.memberId === ada
    const servers = (await ask('GET', '/api/admin/servers')).body.data
    const crew = (await ask('GET', `/api/admin/servers/${mainGuildId}/roles`)).body.data.find(
      byId(roles.crew),
    )
    const listed = (await ask('GET', `/api/admin/members?${found}&limit=100`)).body.data.find(ofAda)
    const across = (await ask('GET', `/api/admin/members/cross-server?${found}&limit=100`)).body.data.find(
      ofAda,
    )
    const json = (await ask('GET', `/api/admin/members/export?${found}`)).body
    const csv = await csvRows(stage, `/api/admin/members/export?${found}&format=csv`)
    const inJson = json.find((row: { memberId: string; serverId: string }) => ofAda(row) && ofClub(row))
    const inCsv = csv.find((row) => row['memberId'] === ada && row['serverId'] === mainGuildId)
    const personal = await personalData(stage, ada)
    const { member, roles: held } = (await validate(world, project, adaToken)).body
    const seen = (await own('GET', `/api/servers/${mainGuildId}/members/${ada}`)).body
    const claims = (await userinfo(world, accessToken)).body
    const sessions = (await ask('GET', `/api/admin/projects/${project.id}/sessions?limit=1`)).body.data[0]
    const isCrew = ({ roleId }: { roleId: string }) => roleId === roles.crew
    const has = (names: readonly string[]) => names.find((one) => one === keptOf(text)) ?? names
    return {
      'server in list': servers.find(byId(mainGuildId)).name,
      'role in list': crew.name,
      'username in members': listed?.username,
      'server in members': listed?.servers.find(ofClub).serverName,
      'role in members': has(listed?.servers.find(ofClub).roleNames ?? []),
      'username across servers': across?.username,
      'username in JSON export': inJson?.username,
      'nickname in JSON export': inJson?.displayName,
      'server in JSON export': inJson?.serverName,
      'CSV export: username': inCsv?.['username'],
      'CSV export: nickname': inCsv?.['displayName'],
      'CSV export: server': inCsv?.['serverName'],
      'CSV export: role':
        has([text]) && inCsv?.['roleNames']?.replaceAll("'", '').includes(keptOf(text).replaceAll("'", ''))
          ? keptOf(text)
          : inCsv?.['roleNames'],
      'username in personal data': personal.profile.username,
      'nickname in personal data': personal.memberships.find(ofClub).nickname,
      'server in personal data': personal.memberships.find(ofClub).serverName,
      'username in validate': member.username,
      'nickname in validate': member.displayName,
      'role in validate': held.find(isCrew)?.roleName,
      'username for a project': seen.username,
      'role for a project': seen.roles.find(isCrew)?.roleName,
      'username in userinfo': claims.preferred_username,
      'nickname in userinfo': claims.nickname,
      'role in userinfo': has(claims.groups),
      ...(await toldToProxy(stage, text)),
      'server in sessions of a project': sessions.serverName,
      'username in sessions of a project': sessions.username,
      ...Object.fromEntries(
        userTexts.map(({ name }) => [`${name} in personal data`, personal.profile[name]]),
      ),
      ...userTextsIn('members', 'memberList', listed),
      ...userTextsIn('members across servers', 'memberList', across),
      ...userTextsIn('JSON export', 'memberExport', inJson),
      ...userTextsIn('validate', 'session', member),
      ...userTextsIn('a read of a project', 'serverMember', seen),
      ...userTextsIn('sessions of a project', 'projectSession', sessions),
      ...userTextsIn(
        'servers of a member',
        'memberServers',
        (await ask('GET', `/api/admin/members/${ada}/servers`)).body,
      ),
    }
  },
}
/** Reads the headers for a proxy. They have room for names of up to 32 characters, which is the platform's limit. */
async function toldToProxy({ askForwardAuth }: Stage, text: string): Promise<Record<string, unknown>> {
  if (encodeURIComponent(keptOf(text)).length > 900) return {}
  const { headers } = await askForwardAuth()
  const of = (name: string) => decodeURIComponent(headers.get(name) ?? '')
  const groups = (headers.get('remote-groups') ?? '').split(',').map(decodeURIComponent)
  return {
    'Remote-User': of('remote-user'),
    'Remote-Name': of('remote-name'),
    'Remote-Groups': groups.find((group) => group === keptOf(text)) ?? groups,
  }
}

/** Returns a platform name as the adapter passes it on: without NUL, and with lone surrogates replaced. */
const keptOf = (text: string) => text.replaceAll('\0', '').toWellFormed()

const registeredServer: StoredField = {
  title: 'the name of a server that is registered',
  covers: [],
  kept: keptOf,
  store: ({ sim, ask }, text) => {
    sim.world.updateGuild(gamesGuildId, { name: text })
    return ask('POST', '/api/admin/servers', { id: gamesGuildId })
  },
  read: async ({ ask }, { body }) => {
    const list = (await ask('GET', '/api/admin/servers')).body.data
    expect((await ask('DELETE', `/api/admin/servers/${gamesGuildId}`)).status).toBe(204)
    const audit = await ask('GET', `/api/admin/audit/logs?limit=1&targetId=${gamesGuildId}`)
    return {
      answer: body.name,
      list: list.find(byId(gamesGuildId)).name,
      'audit log': audit.body.data[0].targetName,
    }
  },
}

export const personFields: readonly StoredField[] = [
  blockReason,
  preferredName,
  userAgent,
  oidcState,
  platformNames,
  registeredServer,
]
