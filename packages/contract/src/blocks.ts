import { type Static, Type } from 'typebox'
import { endpoint } from './endpoint.ts'
import { Closed, DateTime, Nullable, Snowflake } from './formats.ts'

const tag = 'Members'

/** A block of a member, who may have no session: its reason, its start and its end. */
export const Block = Type.Object({
  reason: Nullable(Type.String({ description: 'For administrators; null once the member was erased.' })),
  since: DateTime,
  until: Nullable({
    ...DateTime,
    description: 'The time at which the block ends; null: it lasts until it is removed.',
  }),
})

/** A block with the ID of its member. */
export const MemberBlock = Type.Object({ memberId: Snowflake, ...Block.properties })

/** The reason of a block, and optionally its end. */
export const PutBlock = Closed({
  reason: Type.String({
    minLength: 1,
    maxLength: 500,
    format: 'name',
    description: 'For administrators, in one line. Members and projects do not see it.',
  }),
  until: Type.Optional(
    Nullable({
      ...DateTime,
      description: 'A time in the future. Without it, the block lasts until it is removed.',
    }),
  ),
})

const params = Closed({ id: Snowflake })

/** Blocks a member, or changes the reason and the end of the block. Refuses with MEMBER_NOT_FOUND, OWN_ACCOUNT. */
export const blockMember = endpoint({
  method: 'PUT',
  path: '/api/admin/members/{id}/block',
  tag,
  summary: 'Block a member from all sessions',
  description:
    'Ends all sessions of the member, in all projects and in the administration, and refuses every later sign-in: at the ' +
    'redirect URI with `access_denied`, elsewhere with MEMBER_BLOCKED. After the response, no instance accepts a session ' +
    'of the member. A second request replaces the reason and the end. The block ends automatically by the clock of the ' +
    'database. Ended sessions stay ended.',
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
  description: 'The member can sign in again. Sessions that the block ended stay ended.',
  auth: 'admin',
  params,
  answers: { 204: null },
  refuses: ['MEMBER_NOT_FOUND'],
})

export type MemberBlock = Static<typeof MemberBlock>
export type PutBlock = Static<typeof PutBlock>
