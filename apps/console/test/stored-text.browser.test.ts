import { demo } from '@rolecall/chat-sim'
import { expect, test } from 'vitest'
import { call } from '../../api/test/client.ts'
import { givenAdmin, givenProject, walkSession } from '../../api/test/given.ts'
import { givenWebhook, submit } from '../../api/test/given-webhook.ts'
import { consoleForTests } from './console-for-tests.ts'

/** Text that HTML, JSON, string replacement, or bidirectional layout could alter. */
const nasty = [
  `ends with a backslash \\`,
  `C:\\temp\\new \\u0041 \\x41 \\101 ${'\\'.repeat(40)}`,
  `<b>bold</b> &amp; "quoted" 'single' $1 $& %s {{7*7}}`,
  `=1+1 😀 é עברית مرحبا`,
]

const at = consoleForTests()

test.each(nasty)(
  'the console shows %j as it was sent',
  async (text) => {
    const { world } = at
    const token = await givenAdmin(world)
    const reason = { token, body: { reason: text } }
    const { joon } = demo.users
    const project = await givenProject(world, { name: text, description: text })
    const hook = await givenWebhook(world, project, { name: text, schema: {} })
    const payload = { [text]: text }
    expect((await submit(world, project, hook.id, { body: payload })).status).toBe(201)
    await call(world.url, 'DELETE', `/api/admin/members/${joon}/block`, { token })
    await walkSession(world, project, joon)
    expect((await call(world.url, 'PUT', `/api/admin/members/${joon}/block`, reason)).status).toBe(200)

    const shownAt = async (path: string, ...wanted: string[]) => {
      const visit = await at.open(`/console/${path}`)
      // Audit changes are collapsed, so the text only has to be in the document.
      for (const one of wanted) await visit.page.getByText(one).first().waitFor({ state: 'attached' })
      visit.expectQuiet()
      await visit.close()
    }
    await shownAt(`projects/${project.id}`, text)
    await shownAt(`projects/${project.id}/webhooks/${hook.id}`, text, JSON.stringify(payload).slice(0, 80))
    await shownAt(`members/${joon}`, text)
    await shownAt('audit', text)
  },
  120_000,
)
