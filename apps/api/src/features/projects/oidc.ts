import { type ProblemDetail, type projects, redirectUriProblem } from '@rolecall/contract'
import { isServer } from '#mirror/read-servers'
import type { Tx } from '#platform/db/database'
import { ApiError } from '#platform/http/api-error'
import { invalid } from '#platform/http/check-request'
import { parseUrl } from '#platform/parse-url'
import type { Config } from '../../config.ts'
import { findOwnServer, upsertOidc } from './oidc-store.ts'
import { complaintAboutOutgoing, type OutgoingTerms, readOutgoingUrl } from './outgoing-address.ts'
import { complaintsAboutResources, setResources } from './resources.ts'

type Oidc = projects.Project['oidc']
type Input = NonNullable<projects.UpdateProject['oidc']>

/** The OpenID Connect settings of a new project. */
export const noOidc: Oidc = {
  enabled: false,
  serverId: null,
  publicClient: false,
  postLogoutRedirectUris: [],
  backchannelLogoutUri: null,
  deviceFlow: false,
  rolesInIdToken: false,
  resources: [],
  clientHosts: [],
}

/**
 * Returns the problems of the OpenID Connect settings in a request. Returns none if the request does not contain any.
 */
export function complaintsAboutOidc(config: OutgoingTerms, input: Input | undefined): ProblemDetail[] {
  const afterLogout = (input?.postLogoutRedirectUris ?? []).flatMap((uri, i) => {
    const complaint = redirectUriProblem(uri)
    return complaint === undefined
      ? []
      : [{ path: `/oidc/postLogoutRedirectUris/${i}`, message: complaint, code: 'REDIRECT_URI' }]
  })
  const backchannel = complaintAboutOutgoing(input?.backchannelLogoutUri, config)
  const problems = [
    ...afterLogout,
    ...complaintsAboutResources(input?.resources),
    ...complaintsAboutClientHosts(input?.clientHosts, config),
  ]
  return backchannel === undefined
    ? problems
    : [...problems, { path: '/oidc/backchannelLogoutUri', message: backchannel, code: 'LOGOUT_URI' }]
}

/** Matches a host in its normal form, so that it can be compared as text. */
const plainHost = /^(?:[a-z0-9-]+(?:\.[a-z0-9-]+)*|\[[0-9a-f:]+\])(?::\d+)?$/

/** Returns the problems of the hosts whose client ID metadata documents are accepted. */
const complaintsAboutClientHosts = (hosts: readonly string[] = [], config: OutgoingTerms): ProblemDetail[] =>
  hosts.flatMap((host, i) => {
    const isPlain = plainHost.test(host)
    const readable = [`https://${host}/`, `http://${host}/`].map((url) => readOutgoingUrl(url, config) ?? '')
    if (isPlain && readable.some((url) => parseUrl(url)?.host === host)) return []
    const message =
      'must be a public ASCII host name in lower case, with a port unless it is 443: tools.example, tools.example:8443'
    return [{ path: `/oidc/clientHosts/${i}`, message, code: 'CLIENT_HOST' }]
  })

/** Masks the settings for the audit log, because an address may contain a token of the receiver. */
const auditedOidc = (oidc: Oidc): Oidc => ({
  ...oidc,
  backchannelLogoutUri: maskedAddress(oidc.backchannelLogoutUri),
})

/** Masks an address, so that only its origin is shown. */
export const maskedAddress = (address: string | null) => {
  const { origin } = (address === null ? undefined : parseUrl(address)) ?? {}
  return origin === undefined ? null : `${origin}/…`
}

/**
 * Stores the OpenID Connect settings that the input contains, and keeps the others. Returns the changes for the audit
 * entry.
 *
 * @throws ENCRYPTION_KEY_MISSING, RESOURCE_TAKEN, VALIDATION_FAILED
 */
export async function changeOidc(
  tx: Tx,
  config: Pick<Config, 'outboundKey'> & OutgoingTerms,
  project: { readonly id: string; readonly oidc: Oidc },
  input: Input | undefined,
): Promise<Record<string, { before: unknown; after: unknown }>> {
  if (input === undefined) return {}
  if (typeof input.serverId === 'string' && !(await isServer(tx, input.serverId))) {
    throw invalid([{ path: '/oidc/serverId', message: 'is not a registered server', code: 'SERVER' }])
  }
  const own = await findOwnServer(tx, project.id)
  const before = { ...project.oidc, serverId: own?.serverId ?? null }
  const uri = input.backchannelLogoutUri
  const after: Oidc = {
    ...{ ...before, ...input },
    ...(typeof uri === 'string' && { backchannelLogoutUri: readOutgoingUrl(uri, config) ?? null }),
  }
  if (after.enabled && !config.outboundKey) {
    throw new ApiError('ENCRYPTION_KEY_MISSING', {
      detail: 'The outbound-webhook encryption key, which encrypts signing keys, is not configured.',
    })
  }
  if (JSON.stringify(before) === JSON.stringify(after)) return {}
  await upsertOidc(tx, project.id, after)
  const hasOtherResources = JSON.stringify(before.resources) !== JSON.stringify(after.resources)
  if (hasOtherResources) await setResources(tx, project.id, after.resources)
  return { oidc: { before: auditedOidc(before), after: auditedOidc(after) } }
}
