import type { forwardAuth, ProblemDetail } from '@rolecall/contract'
import { isServer } from '#mirror/read-servers'
import type { Tx } from '#platform/db/database'
import { invalid } from '#platform/http/check-request'
import { parseUrl } from '#platform/parse-url'
import { checkRolesKnown } from '../../checks/known-roles.ts'
import { refuseTaken } from '../../checks/refuse-taken.ts'
import type { Deps } from '../../deps.ts'
import { callbacksOf, readHost } from './host.ts'
import { findStoredRule, type StoredRule, writeHosts, writeRule } from './store.ts'

/** The rule of a project that has none. */
const nothing: StoredRule = { serverId: null, anyOf: [], remoteUser: 'username', hosts: [] }

/** Returns the problems of the hosts in a request, each with its path in the body. */
export function complaintsAboutHosts(
  { publicUrl }: Deps['config'],
  { hosts = [] }: forwardAuth.ForwardAuthInput = {},
): ProblemDetail[] {
  const own = parseUrl(publicUrl)?.host
  return hosts.flatMap((text, i) => {
    const host = readHost(text, undefined)
    const message = !host
      ? 'must be an ASCII host name, with a port unless it is 443: wiki.example.org, wiki.example.org:8443'
      : host.host === own
        ? 'must not be the host of this service'
        : undefined
    return message === undefined ? [] : [{ path: `/forwardAuth/hosts/${i}`, message, code: 'HOST' }]
  })
}

/**
 * Changes the protected hosts and the rule of a project. Fields that the input omits stay the same. Returns the rule
 * before and after, for the audit entry, or undefined if nothing changed.
 *
 * @throws HOST_TAKEN, VALIDATION_FAILED
 */
export async function setRule(tx: Tx, projectId: string, input: forwardAuth.ForwardAuthInput) {
  if (typeof input.serverId === 'string' && !(await isServer(tx, input.serverId))) {
    throw invalid([{ path: '/forwardAuth/serverId', message: 'is not a registered server', code: 'SERVER' }])
  }
  const before = (await findStoredRule(tx, projectId)) ?? nothing
  const hosts = input.hosts?.map((text) => readHost(text, undefined)).filter((host) => host !== undefined)
  const unique = hosts && [...new Map(hosts.map((host) => [host.host, host])).values()]
  const after: StoredRule = {
    serverId: input.serverId === undefined ? before.serverId : input.serverId,
    anyOf: input.anyOf ?? before.anyOf,
    remoteUser: input.remoteUser ?? before.remoteUser,
    hosts: unique?.map(({ host }) => host) ?? before.hosts,
  }
  if (JSON.stringify(before) === JSON.stringify(after)) return undefined
  // The roles are checked even if only the server changed, because another server has other roles.
  const serverId = after.serverId ?? undefined
  await checkRolesKnown(tx, { path: '/forwardAuth/anyOf', roleIds: after.anyOf, serverId })
  await refuseTaken(
    {
      index: 'forward_auth_hosts_pkey',
      code: 'HOST_TAKEN',
      path: '/forwardAuth/hosts',
      message:
        'includes a host that another project already protects. Remove the host here or from that project',
    },
    async () => {
      await writeRule(tx, projectId, after)
      if (unique)
        await writeHosts(
          tx,
          projectId,
          unique.map((host) => ({ host: host.host, callbacks: callbacksOf(host) })),
        )
    },
  )
  return { before, after }
}
