import { type Static, Type } from 'typebox'
import { endpoint } from './endpoint.ts'
import { Closed, DateTime, Nullable, Snowflake } from './formats.ts'

const tag = 'Members'

/** A block of a member, who may have no session: its reason, its start and its end. */
export const Block = Type.Object({
  reason: Nullable(
    Type.String({ description: 'A note for administrators; null after the member was erased.' }),
  ),
  since: DateTime,
  until: Nullable({
    ...DateTime,
    description: 'The time at which the block ends; null if it lasts until it is removed.',
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
    description: 'A note for administrators, in one line. Members and projects do not see it.',
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
    'Ends all sessions of the member, in all projects and in the administration. After the response, no ' +
    'instance of the service accepts a session of the member. Every later sign-in is refused: with ' +
    '`access_denied` at the redirect URI, and with `MEMBER_BLOCKED` elsewhere. A second request replaces the ' +
    'reason and the end of the block. A block with an end expires automatically. Sessions that it ended stay ' +
    'ended.',
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
