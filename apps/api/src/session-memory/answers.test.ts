import { demo } from '@rolecall/chat-sim'
import { afterEach, expect, test } from 'vitest'
import { sql } from '#platform/db/sql'
import { givenProject, givenSession } from '../../test/given.ts'
import { worldForTests } from '../../test/world-for-tests.ts'
import { type Answers, createAnswers } from './answers.ts'

const item = { serverId: demo.mainGuildId, memberId: demo.users.ada }

const world = worldForTests('pglite')
let answers: Answers | undefined
afterEach(() => answers?.close())

/** Starts a cache of its own, whose reads can be delayed, and whose reads of the change log can fail. */
async function startAnswers() {
  const { db, log, config } = world.service.deps
  let released = Promise.resolve()
  let isDown = false
  const batched: typeof db.batched = async (statement) => {
    const isLog = statement.text.includes('session_changes')
    if (isLog && isDown) throw new Error('the database is down')
    const rows = await db.batched<never>(statement)
    if (!isLog) await released
    return rows
  }
  const made = createAnswers({
    ...{ db: { ...db, batched }, log, maxBytes: 1_000_000, configuredServerId: config.chatGuildId },
  })
  answers = made
  made.start()
  await expect.poll(made.isLeased).toBe(true)
  return {
    answers: made,
    /** Delays reads after the database has answered them. Returns the function that ends the delay. */
    delay: () => {
      let release = () => {}
      released = new Promise((resolve) => {
        release = resolve
      })
      return release
    },
    loseLease: async () => {
      isDown = true
      await expect.poll(made.isLeased).toBe(false)
    },
    regainLease: async () => {
      isDown = false
      await expect.poll(made.isLeased).toBe(true)
    },
  }
}

test.each(['before', 'after'])(
  'a read during which the lease was lost is not cached, if it ends %s the lease is regained',
  async (end) => {
    await givenSession(world, await givenProject(world))
    const { answers, delay, loseLease, regainLease } = await startAnswers()
    const release = delay()
    const read = answers.readServerMember(item)
    await loseLease()
    const nick = `later, ${end}`
    await world.service.deps.db.execute(
      sql`update memberships set nick = ${nick} where member_id = ${item.memberId}`,
    )
    if (end === 'after') await regainLease()
    release()
    expect((await read).member?.displayName).not.toBe(nick)
    if (end === 'before') await regainLease()
    expect(answers.findServerMemberProfile(item)).toBeUndefined()
    await answers.readServerMember(item)
    expect(answers.findServerMemberProfile(item)).toContain(nick)
  },
)
