import { demo } from '@rolecall/chat-sim'
import fc from 'fast-check'
import { expect } from 'vitest'
import { sql } from '#platform/db/sql'
import { repeats } from './repeats.ts'
import type { World } from './service.ts'

/** The changes by name. Each is one change, or several in a row. */
export type Acts<Known> = Readonly<Record<string, readonly ((known: Known) => Promise<unknown>)[]>>

/** Makes each of the changes, and random sequences of them. Calls `check` after each change. */
export function afterRandomActs<Known>(
  acts: Acts<Known>,
  given: () => Promise<Known>,
  check: (known: Known) => Promise<void>,
): Promise<void> {
  const names = Object.keys(acts)
  const runs = fc.array(fc.constantFrom(...names), { minLength: 1, maxLength: 3 })
  const property = fc.asyncProperty(runs, async (run) => {
    const known = await given()
    for (const step of run.flatMap((name) => acts[name] ?? [])) {
      await step(known)
      await check(known)
    }
  })
  return fc.assert(property, {
    numRuns: names.length + repeats(20),
    examples: names.map((name) => [[name]]),
  })
}

/** Generates the usual value in most cases, and otherwise one of the unusual values. */
export const often = <T>(usual: T, ...unusual: T[]) =>
  fc.oneof(
    { weight: 5, arbitrary: fc.constant(usual) },
    { weight: 2, arbitrary: fc.constantFrom(...unusual) },
  )

/** Reads a member of the main server from the platform. Resolves to the state of the membership. */
export async function readMembership({ service: { deps } }: World, memberId: string) {
  await deps.refreshMember(demo.mainGuildId, memberId)
  return deps.db.maybeOne<{ isMember: boolean }>(sql`
    select left_at is null as "isMember" from memberships
    where server_id = ${demo.mainGuildId} and member_id = ${memberId}`)
}

/** Makes a member leave the main server, and return. */
export const leaveAndReturn = (world: () => World, memberId: string): Acts<unknown>[string] => [
  () => world().service.deps.mirrorMember(demo.mainGuildId, { id: memberId }, undefined, 'now'),
  // Polls, because the platform's next response may be older than the end of the membership.
  () => expect.poll(() => readMembership(world(), memberId)).toMatchObject({ isMember: true }),
]
