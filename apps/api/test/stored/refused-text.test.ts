import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { mainEngines } from '../databases.ts'
import { openStage, type Stage } from './field.ts'
import { specimens } from './hostile-text.ts'

/** Fields that accept only a few characters, with the request that sends a text. */
const rows: Readonly<Record<string, (stage: Stage, text: string) => ReturnType<Stage['ask']>>> = {
  'the slug of a webhook': ({ own, hook }, text) =>
    own('PATCH', `/api/inbound-webhooks/${hook.id}`, { slug: text }),
  'an accepted origin': ({ own, hook }, text) =>
    own('PATCH', `/api/inbound-webhooks/${hook.id}`, { acceptedOrigins: [`https://${text}`] }),
  'a protected host': ({ ask, quiet }, text) =>
    ask('PATCH', `/api/admin/projects/${quiet.id}`, { forwardAuth: { hosts: [`site.${text}`] } }),
  'the address of a channel': ({ ask, quiet, told }, text) =>
    ask('PATCH', `/api/admin/projects/${quiet.id}`, { webhookUrl: `${told.webhookUrl}/${text}` }),
  'the word of an id': ({ own }, text) => own('POST', '/api/auth/validate', { token: `${text} ` }),
  'a path that returns': ({ ask }, text) =>
    ask(
      'GET',
      `/api/auth/admin/login?return_to=${encodeURIComponent(`/${text.toWellFormed()} `.slice(0, 500))}`,
    ),
}

/** Specimens that are neither a host nor a slug. */
const hostile = specimens.filter((text) => !/^[\p{L}\p{M}\d-]+$/u.test(text))

describe.each(mainEngines)('fields that accept only a few characters, on %s', (engine) => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage(engine)
  })
  afterAll(() => stage.world.close())

  test.each(Object.entries(rows))('%s rejects hostile text or returns it as sent', async (_field, send) => {
    for (const text of hostile) {
      const reply = await send(stage, text)
      // Some characters are valid in an origin, although browsers never send them.
      const isShown = reply.status === 200 && reply.body.acceptedOrigins?.[0] === `https://${text}`
      if (isShown) continue
      expect(reply.status, `${JSON.stringify(text)}: ${reply.text}`).toBeGreaterThanOrEqual(400)
      expect(reply.status, `${JSON.stringify(text)}: ${reply.text}`).toBeLessThan(500)
    }
  })
})
