import { describe, expect, test } from 'vitest'
import { fieldsOf, type MemberAnswer, schemasOf } from './member-fields.ts'

/** Established order of these fields in responses. New fields may be added between them. */
const orders: Readonly<Record<MemberAnswer, string>> = {
  session: 'username avatar displayName email globalName joinedAt preferredName',
  profile: 'username avatar displayName email globalName preferredName',
  serverMember: 'username globalName displayName avatar',
  projectSession: 'username globalName displayName avatar',
  memberList: 'username globalName avatar',
  memberServers: 'username globalName avatar',
  memberExport: 'username globalName displayName',
}

describe('the fields of a member', () => {
  test.each(Object.entries(orders))('keep their order in %s: %s', (answer, order) => {
    const known = order.split(' ')
    const names: readonly string[] = fieldsOf(answer as MemberAnswer)
    expect(names.filter((name) => known.includes(name))).toEqual(known)
    expect(Object.keys(schemasOf(answer as MemberAnswer))).toEqual(names)
  })
})
