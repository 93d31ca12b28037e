import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { demo as ids } from '@rolecall/chat-sim'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { launchChromium } from './chromium.ts'
import { fencesOf, openShell } from './shell.ts'
import { type Demo, demoFolder } from './start-demo.ts'
import { chooseAndAgree } from './visitor.ts'

/** What a page tells its reader to paste is pasted here, block by block, against a demo that was just started. */

let folder: Awaited<ReturnType<typeof demoFolder>>
let demo: Demo
beforeAll(async () => {
  folder = await demoFolder()
  demo = await folder.start()
}, 120_000)
afterAll(async () => {
  await demo?.stop()
  await folder?.remove()
})

const read = (page: string) => readFileSync(new URL(`../../${page}`, import.meta.url), 'utf8')
const here = (text: string) => text.replaceAll('http://127.0.0.1:3000', demo.serviceUrl)

/** Logs in with a browser, as the page says, and answers the code at the end. */
async function codeOf(start: string, name: string): Promise<string> {
  const browser = await launchChromium()
  try {
    const page = await browser.newPage()
    // A page may take the code out of its address before anybody looks, and the site's own leads elsewhere.
    const been: string[] = []
    page.on('request', (request) => void been.push(request.url()))
    page.on('framenavigated', (frame) => void been.push(frame.url()))
    await page.goto(start)
    await chooseAndAgree(page, name)
    const code = /[?#&]code=(rcc_\w+)/
    await expect.poll(() => been.join('\n')).toMatch(code)
    return code.exec(been.join('\n'))?.[1] ?? ''
  } finally {
    await browser.close()
  }
}

const literally = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** Text with `…` for what is different each time. */
const asPattern = (expected: string) =>
  new RegExp(`^${expected.trim().split('…').map(literally).join('[^]*?')}$`)

/** The value that a person fills in where the page shows `NAME=rcc_…`. */
type Fill = Readonly<Record<string, (lastSaid: string) => Promise<string>>>

/** Pastes every block, compares what a page shows as its answer, and answers all that was said. */
async function paste(markdown: string, fill: Fill = {}): Promise<string[]> {
  const shell = openShell(folder.path)
  const said: string[] = []
  try {
    for (const { language, text } of fencesOf(here(markdown))) {
      if (language === 'json' || language === 'text') expect(said.at(-1)?.trim()).toMatch(asPattern(text))
      if (language !== 'sh') continue
      const [, name] = /^(\w+)=rc\w_…$/m.exec(text) ?? []
      const value = name && (await fill[name]?.(said.at(-1) ?? ''))
      const block = value ? text.replace(/rc\w_…/, value) : text
      expect(block, 'nothing is left to fill in').not.toContain('…')
      said.push(await shell.run(block))
    }
  } finally {
    await shell.close()
  }
  return said
}

test('the guide to inbound webhooks, command by command, says what it shows', async () => {
  const said = await paste(read('docs/guides/inbound-webhooks.md'))
  expect(said.length).toBeGreaterThan(8)
}, 60_000)

test('the guide to a login with curl, command by command, says what it shows', async () => {
  const { project } = JSON.parse(readFileSync(join(folder.path, '.rolecall/demo.json'), 'utf8'))
  const page = read('docs/guides/curl.md')
    .replace('https://id.example', demo.serviceUrl)
    .replace('rck_…', project.apiKey)
    .replace('ROLECALL_CLIENT_ID=…', `ROLECALL_CLIENT_ID=${project.id}`)
    .replace('ROLECALL_SERVER_ID=…', `ROLECALL_SERVER_ID=${ids.mainGuildId}`)
    .replace('https://site.example/callback', project.redirectUri)
  const said = await paste(page, { CODE: (lastSaid) => codeOf(lastSaid.trim(), 'Ada Osei') })
  expect(said.length).toBe(8)
}, 60_000)

describe('README.md', () => {
  const readme = read('README.md')
  const section = (from: string, to: string) =>
    readme.slice(readme.indexOf(`\n## ${from}\n`), readme.indexOf(`\n## ${to}\n`))

  test('begins with the commands that start a demo and run the tests, as CI runs them', () => {
    expect(fencesOf(section('Try it', 'How a login goes')).map(({ text }) => text)).toEqual([
      'npm ci && npm start\n',
      'npm ci && npm test\n',
    ])
    const steps = read('.ci/run')
    for (const step of [/^step .* npm ci$/m, /^step .* npm test /m]) expect(steps).toMatch(step)
  })

  test('every command of a backend and of an operator does what it says', async () => {
    const said = await paste(section('Use it from a backend', 'Point it at Discord'), {
      CODE: (lastSaid) => codeOf(lastSaid.trim(), 'Ada Osei'),
      ADMIN_CODE: () => codeOf(`${demo.serviceUrl}/api/auth/admin/login?return_to=/`, 'Mara Lind'),
    })
    expect(said.filter((one) => /"status":[45]\d\d|^\S*: /m.test(one))).toEqual([])
    const answers = said.filter((one) => one.startsWith('{'))
    const [exchanged, validated] = answers.slice(0, 2).map((one) => JSON.parse(one))
    expect(exchanged).toMatchObject({ token: expect.stringMatching(/^rcs_/), member: { id: ids.users.ada } })
    expect(validated).toMatchObject({ member: { id: ids.users.ada }, session: { serverId: ids.mainGuildId } })
    expect(readFileSync(`${folder.path}/members.csv`, 'utf8').split('\n').length).toBeGreaterThan(400)
    expect(readFileSync(`${folder.path}/audit.csv`, 'utf8')).toContain('project.create')
  }, 120_000)
})
