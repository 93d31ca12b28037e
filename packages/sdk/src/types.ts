import type { EndpointOutput, sessions } from '@rolecall/contract'

/** A live session: who it is, and what roles they hold in the session's server right now. */
export type Session = EndpointOutput<typeof sessions.validateSession>

/** What an exchange answers: the pair to keep, and who has logged in. */
export type NewSession = EndpointOutput<typeof sessions.exchangeCode>

/** One of a member's sessions, as `sessions()` lists them. Never carries a token. */
export type SessionListItem = EndpointOutput<typeof sessions.listSessions>['sessions'][number]

export type { Member, ProblemDetail, SessionRole as Role } from '@rolecall/contract'
