import { readFileSync } from 'node:fs'
import { demo } from '@rolecall/chat-sim'
import { expect, test } from 'vitest'
import { worldForTests } from '../../../test/world-for-tests.ts'
import { postToDiscordWebhook } from './webhook/webhook.ts'

const world = worldForTests('pglite')

test('every call to the platform names the version that runs, in the form that the platform asks for', async () => {
  const { sim } = world
  const { chat } = world.service.deps
  const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'))
  sim.journal.clear()
  await chat.bot()
  await chat.isClientAccepted()
  const message = { title: 'x', text: 'x', footer: 'x', at: new Date(0), tone: 'warning' as const }
  await postToDiscordWebhook(
    `${sim.apiUrl}/webhooks/${demo.webhook.id}/${demo.webhook.token}`,
    message,
    new AbortController().signal,
  )
  const names = sim.journal.entries().map(({ route, userAgent }) => [route, userAgent])
  expect(names).toHaveLength(3)
  for (const [route, name] of names) {
    expect(name, route).toMatch(/^DiscordBot \(https:\/\/[^,]+, [^)]+\)$/)
    expect(name, route).toContain(`, ${version})`)
  }
})
