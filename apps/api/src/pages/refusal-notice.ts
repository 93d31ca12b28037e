import type { Notice, Reader } from '#platform/http/reader'

/** The reasons why a sign-in ends without a code. Sites receive them as `error_reason`. */
export type LoginRefusal =
  | 'declined'
  | 'not_a_member'
  | 'blocked'
  | 'not_an_admin'
  | 'no_access'
  | 'temporarily_unavailable'
  | 'server_error'
  | 'login_required'

type OfServer = (reader: Reader, server: string | undefined) => readonly string[]

const notices: Readonly<Record<LoginRefusal, OfServer>> = {
  declined: ({ say }) => [say('declined'), say('goBack')],
  not_a_member: ({ say }, server) => [
    server === undefined ? say('notAMember') : say('notAMemberOf', { server }),
    say('notAMemberAdvice'),
  ],
  blocked: ({ say }) => [say('blocked'), say('blockedAdvice')],
  not_an_admin: ({ say }, server) => [
    server === undefined ? say('adminsOnly') : say('adminRoleLacking', { server }),
    say('adminsOnlyAdvice'),
  ],
  no_access: ({ say }) => [say('noServer'), say('tellOwners')],
  temporarily_unavailable: ({ say }) => [say('discordDown'), say('waitAndGoBack')],
  server_error: ({ say }) => [say('ourFault'), say('waitAndGoBack')],
  login_required: ({ say }) => [say('refused'), say('goBack')],
}

/** Returns the explanation of a refused sign-in. `server` is the name of its server, if known. */
export const noticeOf =
  (refusal: LoginRefusal, server?: string): Notice =>
  (reader) =>
    notices[refusal](reader, server)

/** Returns the explanation for the `error_reason` of a redirect, or undefined for an unknown reason. */
export const noticeOfReason = (reason: unknown, server?: string): Notice | undefined =>
  isRefusal(reason) ? noticeOf(reason, server) : undefined

const isRefusal = (reason: unknown): reason is LoginRefusal =>
  typeof reason === 'string' && Object.hasOwn(notices, reason)
