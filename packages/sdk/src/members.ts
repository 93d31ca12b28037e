import type { Endpoints, ServerMember } from './contract-types.ts'
import { itemsOf } from './pages.ts'
import { required, requiredText } from './required.ts'
import { RolecallError } from './rolecall-error.ts'
import type { CallOptions, Transport } from './transport.ts'

/** Options of `members()`. */
export interface ListOptions extends CallOptions {
  /** Members per request, 1 to 100. Default 100. */
  readonly pageSize?: number
}

/** The roles that a member must hold. With neither list, being a member is enough. */
export type PermissionCheck = Endpoints['checkPermissions']['body']
/** The result of a check, with the roles that the member holds. */
export type PermissionAnswer = Endpoints['checkPermissions']['answer']

/** Up to 1,000 member IDs, and the roles that each member must hold. */
export type ManyPermissionsCheck = Endpoints['checkManyPermissions']['body']
/** The result of a check of many members, for one of them. */
export type CheckedMember = Endpoints['checkManyPermissions']['answer']['data'][number]

/** The changes in a server since a cursor. */
export interface MemberChanges {
  /** Members who joined or changed, with their current roles. */
  readonly changed: readonly ServerMember[]
  /** Members who left. `leftAt` is an ISO 8601 time in UTC. */
  readonly removed: readonly { readonly memberId: string; readonly leftAt: string }[]
  /** All roles of the server, if at least one of them changed. Undefined otherwise. */
  readonly roles?: ServerMember['roles']
  /** The cursor for the next call. */
  readonly cursor: string
  /** True if more changes can be read immediately. */
  readonly hasMore: boolean
}

/** Creates the calls about the members of a server. `headers` contains the project's API key. */
export function createMembers(send: Transport, headers: Record<string, string>) {
  return {
    list(serverId: string, { pageSize = 100, ...options }: ListOptions = {}) {
      requiredText({ serverId })
      return itemsOf<ServerMember>((from) =>
        send<Endpoints['listServerMembers']>({
          method: 'GET',
          path: '/api/servers/{serverId}/members',
          params: { serverId },
          query: { limit: pageSize, ...from },
          headers,
          isRepeatable: true,
          ...options,
        }),
      )
    },
    async changes(serverId: string, since?: string, options?: CallOptions): Promise<MemberChanges> {
      requiredText({ serverId })
      const found = await send<Endpoints['listServerMembers']>({
        method: 'GET',
        path: '/api/servers/{serverId}/members',
        params: { serverId },
        query: since === undefined ? { limit: 1 } : { limit: 100, changedSince: since },
        headers,
        isRepeatable: true,
        ...options,
      })
      const { data, removed = [], roles, changeCursor = '', hasMore = false } = found
      const changed = since === undefined ? [] : data
      return { changed, removed, cursor: changeCursor, hasMore, ...(roles && { roles }) }
    },
    async find(serverId: string, memberId: string, options?: CallOptions): Promise<ServerMember | undefined> {
      requiredText({ serverId, memberId })
      return send<Endpoints['getServerMember']>({
        method: 'GET',
        path: '/api/servers/{serverId}/members/{memberId}',
        params: { serverId, memberId },
        headers,
        isRepeatable: true,
        ...options,
      }).catch((error) => {
        if (error instanceof RolecallError && error.code === 'MEMBER_NOT_FOUND') return undefined
        throw error
      })
    },
    async check(serverId: string, check: PermissionCheck, options?: CallOptions): Promise<PermissionAnswer> {
      requiredText({ serverId })
      required({ memberId: check.memberId })
      return send<Endpoints['checkPermissions']>({
        method: 'POST',
        path: '/api/servers/{serverId}/permissions/check',
        params: { serverId },
        body: check,
        headers,
        isRepeatable: true,
        ...options,
      })
    },
    async checkMany(
      serverId: string,
      check: ManyPermissionsCheck,
      options?: CallOptions,
    ): Promise<readonly CheckedMember[]> {
      requiredText({ serverId })
      required({ memberIds: check.memberIds })
      const { data } = await send<Endpoints['checkManyPermissions']>({
        method: 'POST',
        path: '/api/servers/{serverId}/permissions/check-many',
        params: { serverId },
        body: check,
        headers,
        isRepeatable: true,
        ...options,
      })
      return data
    },
  }
}
