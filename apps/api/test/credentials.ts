import { demo } from '@rolecall/chat-sim'
import type { EndpointDefinition } from '@rolecall/contract'
import { digestOf, mintToken } from '../src/platform/crypto/tokens.ts'
import { sql } from '../src/platform/db/sql.ts'
import { call } from './client.ts'
import { type GivenProject, givenAdmin, givenProject, givenSession } from './given.ts'
import type { World } from './service.ts'

type Sent = { readonly key?: string; readonly token?: string; readonly headers?: Record<string, string> }

/** Credentials of each kind of caller, and requests without valid credentials. */
export interface Credentials {
  readonly project: GivenProject
  readonly admin: string
  readonly member: string
  /** Requests without a valid session, by title. */
  readonly badTokens: Readonly<Record<string, Sent>>
  /** Requests without a valid API key, by title. */
  readonly badKeys: Readonly<Record<string, Sent>>
}

/** Returns the credentials that an endpoint accepts. */
export function callerOf({ project, admin, member }: Credentials, { auth }: EndpointDefinition): Sent {
  if (auth === 'projectKey') return { key: project.key }
  if (auth === 'none') return {}
  return { token: auth === 'admin' ? admin : member }
}

export async function givenCredentials(world: World): Promise<Credentials> {
  const { db } = world.service.deps
  const project = await givenProject(world)
  const admin = await givenAdmin(world)
  const member = (await givenSession(world, project)).token

  const expired = await givenAdmin(world)
  await db.execute(sql`
    update sessions set expires_at = clock_now() - interval '1 second' where token_digest = ${digestOf(expired)}`)
  const revoked = await givenAdmin(world)
  await call(world.url, 'POST', '/api/auth/admin/logout', { token: revoked })

  const keyless = await givenProject(world)
  await db.execute(sql`update api_keys set revoked_at = clock_now() where project_id = ${keyless.id}`)
  const deleted = await givenProject(world)
  await db.execute(sql`update projects set deleted_at = clock_now() where id = ${deleted.id}`)
  return {
    project,
    admin,
    member,
    badTokens: {
      'no credentials': {},
      'an API key': { key: project.key },
      'an API key as a token': { token: project.key },
      'a garbage token': { token: 'garbage' },
      'a token with a wrong checksum': { token: `${admin.slice(0, -1)}${admin.endsWith('0') ? '1' : '0'}` },
      'an unknown token': { token: mintToken('session') },
      'an expired token': { token: expired },
      'a revoked token': { token: revoked },
      'two tokens': { headers: { authorization: `Bearer ${admin}, Bearer ${admin}` } },
      Basic: { headers: { authorization: `Basic ${admin}` } },
      'an unknown cookie': {
        headers: { cookie: `svc_admin=${mintToken('session')}`, 'sec-fetch-site': 'same-origin' },
      },
    },
    badKeys: {
      'no key': {},
      'a session token': { token: admin },
      'a session token as a key': { key: admin },
      'a garbage key': { key: 'garbage' },
      'an empty key': { key: '' },
      'a key with a wrong checksum': {
        key: `${project.key.slice(0, -1)}${project.key.endsWith('0') ? '1' : '0'}`,
      },
      'an unknown key': { key: mintToken('apiKey') },
      'a revoked key': { key: keyless.key },
      'the key of a deleted project': { key: deleted.key },
    },
  }
}

/** Creates a session of a System Admin who has lost the role since then. */
export async function givenFormerAdmin(world: World): Promise<string> {
  const { joon } = demo.users
  const { setRoles } = world.sim.world
  setRoles(demo.mainGuildId, joon, [demo.roles.steward])
  const token = await givenAdmin(world, joon)
  setRoles(demo.mainGuildId, joon, [demo.roles.captain])
  return token
}

/** Ages the mirrored rows, so that the next request reads the roles again. */
export const forgetRoles = ({ service: { deps } }: World) =>
  deps.db.execute(sql`update memberships set synced_at = clock_now() - interval '1 hour'`)
