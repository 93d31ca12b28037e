import type { BulkRange, SimMember, SimUser } from './model.ts'
import { snowflakeAt, snowflakeLow, snowflakeMs } from './snowflake.ts'

/*
 * Generated people. All data of person number `i` is computed from `i`, and the ID contains `i`. So 200,000 generated
 * people need no memory and no search, until one of them is edited.
 */

const startMs = Date.UTC(2021, 0, 4, 6)
const stepMs = 30_000
const marker = 3 << 17
const dayMs = 86_400_000

const firsts =
  'amelia bruno chiara daniel elif farid greta hana ivan jonas katya liam mei nadia oscar priya rafael sofia theo zoe'.split(
    ' ',
  )
const lasts =
  'andersen berg costa dubois eriksen fischer garcia hansen ito jansen kowalski lopez murphy nowak okafor petrov rossi sato tanaka walsh'.split(
    ' ',
  )
const pairs = firsts.flatMap((first) => lasts.map((last) => [first, last] as const))
const titled = (word: string) => word[0]?.toUpperCase() + word.slice(1)

/** Returns the ID of a generated person. */
export const bulkId = (index: number): string => snowflakeAt(startMs + index * stepMs, marker)

/** Returns the number of the generated person with an ID, or -1 for any other ID. */
export function bulkIndex(id: string): number {
  if (id.length < 17 || snowflakeLow(id) !== marker) return -1
  const index = (snowflakeMs(id) - startMs) / stepMs
  return Number.isInteger(index) && index >= 0 ? index : -1
}

/** Returns the number of the first generated person with an ID greater than `id`. */
export function bulkIndexAfter(id: string): number {
  const index = Math.max(0, Math.floor((snowflakeMs(id) - startMs) / stepMs))
  return BigInt(bulkId(index)) > BigInt(id) ? index : index + 1
}

const pairOf = (index: number) => pairs[(index * 7) % pairs.length] ?? (['amelia', 'andersen'] as const)

const bulkUsername = (index: number): string => `${pairOf(index).join('.')}${index}`

/** Returns the account of a generated person. */
export function bulkUser(index: number): SimUser {
  const [first, last] = pairOf(index)
  return {
    id: bulkId(index),
    username: bulkUsername(index),
    global_name: index % 9 === 0 ? null : `${titled(first)} ${titled(last)}`,
    discriminator: '0',
    avatar: index % 3 === 0 ? null : (0x5eed0000 + index).toString(16).padStart(32, 'a1b2c3d4'),
    bot: false,
    email: `${bulkUsername(index)}@example.test`,
    verified: true,
    locale: 'en-US',
    mfa_enabled: false,
    public_flags: 0,
  }
}

/** Returns a generated person as a member of the server of a range. */
export function bulkMember(index: number, range: BulkRange): SimMember {
  const { roleIds } = range
  const worn = roleIds.length === 0 ? [] : [roleIds[index % roleIds.length] as string]
  const second = roleIds[(index * 3 + 1) % Math.max(1, roleIds.length)]
  if (index % 4 === 0 && second !== undefined && !worn.includes(second)) worn.push(second)
  return {
    user_id: bulkId(index),
    nick: index % 11 === 0 ? `Deck ${index}` : null,
    avatar: null,
    roles: index % 10 === 7 ? [] : worn,
    joined_at: new Date(startMs + index * stepMs + (1 + (index % 20)) * dayMs).toISOString(),
    pending: false,
    flags: 0,
    premium_since: null,
    communication_disabled_until: null,
  }
}

/** Yields the numbers of people in a range whose username starts with `prefix`, without checking each person. */
export function* bulkSearch(prefix: string, range: BulkRange): Generator<number> {
  const period = pairs.length
  for (let offset = 0; offset < period; offset++) {
    const first = range.from + offset
    const name = pairOf(first).join('.')
    if (!name.startsWith(prefix) && !prefix.startsWith(name)) continue
    for (let index = first; index < range.to; index += period) {
      if (bulkUsername(index).startsWith(prefix)) yield index
    }
  }
}
