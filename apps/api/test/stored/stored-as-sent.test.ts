import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { engines } from '../databases.ts'
import { sampled } from '../repeats.ts'
import { openStage, type Stage, type StoredField } from './field.ts'
import { fields } from './fields.ts'
import { hostileText, textsFor } from './hostile-text.ts'

/** Set FC_SEED to repeat a run, and FC_RUNS to send more random texts. */
const seed = Number(process.env['FC_SEED'] ?? Date.now() % 2 ** 31)
const randomTexts = Number(process.env['FC_RUNS'] ?? 4)

const rows = fields.map((field) => [field.title, field] as const)

describe.each(engines)(`text is stored as it was sent, on %s (FC_SEED=${seed})`, (engine) => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage(engine)
  })
  afterAll(() => stage.world.close())

  test.each(rows)('%s', async (_title, field) => {
    const { kept, isSendable = () => true } = field
    const accepted = (text: string) => isSendable(text) && kept(text) !== undefined
    const texts = sampled(textsFor(accepted).filter(isSendable), seed)
    await fc.assert(
      fc.asyncProperty(hostileText.filter(isSendable), (text) => check(stage, field, text)),
      {
        seed,
        numRuns: texts.length + randomTexts,
        examples: texts.map((text) => [text]),
        endOnFailure: true,
      },
    )
  })

  test('the audit chain over all of these values verifies', async () => {
    await stage.ask('POST', '/api/admin/audit/chain/verify')
    await expect
      .poll(async () => (await stage.ask('GET', '/api/admin/audit/chain')).body, { interval: 20 })
      .toMatchObject({ status: 'verified', problem: null })
  })
})

async function check(stage: Stage, { kept, store, read }: StoredField, text: string) {
  const reply = await store(stage, text)
  const wanted = kept(text)
  const shown = `${JSON.stringify(text.slice(0, 200))}: ${reply.status} ${reply.text.slice(0, 500)}`
  if (wanted === undefined) {
    expect(reply.status, shown).toBeGreaterThanOrEqual(400)
    expect(reply.status, shown).toBeLessThan(500)
    return
  }
  expect(reply.status, shown).toBeLessThan(400)
  for (const [exit, value] of Object.entries(await read(stage, reply, text))) {
    if (!exit.startsWith('CSV')) expect(value, exit).toBe(wanted)
    else expect(String(value).replaceAll("'", ''), exit).toBe(wanted.replaceAll("'", ''))
  }
}
