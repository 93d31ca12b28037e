import { type Static, Type } from 'typebox'
import { endpoint } from './endpoint.ts'
import { Closed, DateTime, Nullable, Snowflake } from './formats.ts'

const tag = 'Members'

/** A block of a member, who may have no session: its reason, its start and its end. */
export const Block = Type.Object({
  reason: Nullable(Type.String({ description: 'For administrators; null once the member was erased.' })),
  since: DateTime,
  until: Nullable({ ...DateTime, description: 'It ends by itself then; null: not before it is ended.' }),
})

/** A block with the ID of its member. */
export const MemberBlock = Type.Object({ memberId: Snowflake, ...Block.properties })

/** The reason of a block, and optionally its end. */
export const PutBlock = Closed({
  reason: Type.String({
    minLength: 1,
    maxLength: 500,
    format: 'name',
    description: 'For administrators, in one line. Neither the member nor a project is told.',
  }),
  until: Type.Optional(
    Nullable({ ...DateTime, description: 'In the future; without it the block goes on until it is ended.' }),
  ),
})

const params = Closed({ id: Snowflake })

/** Blocks a member, or changes the reason and the end of the block. Refuses with MEMBER_NOT_FOUND, OWN_ACCOUNT. */
export const blockMember = endpoint({
  method: 'PUT',
  path: '/api/admin/members/{id}/block',
  tag,
  summary: 'Block a member: no session, and none to come',
  description:
    'Ends everything that the member is logged in by, in all projects and in the administration, and refuses every login ' +
    'from then on: at the redirect URI with `access_denied`, elsewhere with MEMBER_BLOCKED. Once this has answered, no ' +
    'instance takes a session of the member. Sent again it replaces reason and end. An end is reached by itself, by the clock of the ' +
    'database; sessions from before it stay ended.',
  auth: 'admin',
  params,
  body: PutBlock,
  answers: { 200: MemberBlock },
  refuses: ['MEMBER_NOT_FOUND', 'OWN_ACCOUNT'],
})

/** Ends a block. Succeeds for a member without one, too. Refuses with MEMBER_NOT_FOUND. */
export const unblockMember = endpoint({
  method: 'DELETE',
  path: '/api/admin/members/{id}/block',
  tag,
  summary: 'End the block of a member',
  description: 'The member may log in again. Sessions that the block ended do not come back.',
  auth: 'admin',
  params,
  answers: { 204: null },
  refuses: ['MEMBER_NOT_FOUND'],
})

export type MemberBlock = Static<typeof MemberBlock>
export type PutBlock = Static<typeof PutBlock>
