import { readFileSync } from 'node:fs'
import { demo as ids } from '@rolecall/chat-sim'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { commandsOfSource } from '../../tools/shown/collect.ts'
import { noteRun } from '../../tools/shown/notes.ts'
import { path, runShown } from '../../tools/shown/run.ts'
import { launchChromium } from './chromium.ts'
import { fencesOf, openShell } from './shell.ts'
import { type Demo, usedDemoFolder } from './start-demo.ts'
import { chooseAndAgree } from './visitor.ts'

/** Pastes the commands of each page, block by block, against a demo that was just started. */

let folder: Awaited<ReturnType<typeof usedDemoFolder>>
let demo: Demo
beforeAll(async () => {
  folder = await usedDemoFolder()
  demo = await folder.start()
}, 120_000)
afterAll(async () => {
  await demo?.stop()
  await folder?.remove()
})

const read = (page: string) => readFileSync(new URL(`../../${page}`, import.meta.url), 'utf8')
const here = (text: string) => text.replaceAll('http://127.0.0.1:3000', demo.serviceUrl)

/** Signs in with a browser, as the page says, and returns the code at the end. */
async function codeOf(start: string, name: string): Promise<string> {
  const browser = await launchChromium()
  try {
    const page = await browser.newPage()
    // A page may remove the code from its address at once, and the site's own page leads elsewhere.
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

const replaceAll = (text: string, values: Readonly<Record<string, string>>) =>
  Object.entries(values).reduce((filled, [from, to]) => filled.replaceAll(from, () => to), text)

const literally = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** Removes the white space of JSON, because a page may show an answer over several lines. */
const compact = (json: string) => json.replaceAll(/\s+/g, '')

/** Makes a pattern of a text with `…` for parts that differ each time. */
const asPattern = (expected: string) =>
  new RegExp(`^${expected.trim().split('…').map(literally).join('[^]*?')}$`)

/** Fills in values that a reader would, such as a code after signing in or an ID from the last response. */
type Edit = (block: string, lastSaid: string) => string | Promise<string>

/** Confirms the sign-in of a command line in a browser, at the address that the command prints. */
async function confirmSignIn(output: () => string): Promise<void> {
  await expect.poll(output, { timeout: 20_000 }).toMatch(/^ {2}http\S+\n/m)
  const browser = await launchChromium()
  try {
    const page = await browser.newPage()
    await page.goto(/^ {2}(http\S+)\n/m.exec(output())?.[1] ?? '')
    await chooseAndAgree(page, 'Mara Lind')
    await page.getByRole('button', { name: 'Sign in the command line' }).click()
    await page.getByRole('heading', { name: 'You are signed in' }).waitFor()
  } finally {
    await browser.close()
  }
}

/** Finds `rolecall` as an installed package does, and keeps its sessions in the folder of the demo. */
const settings = () =>
  `npx() { "$@"; }; export PATH='${path}' HOME='${folder.path}' XDG_STATE_HOME='${folder.path}/state'`

/** Pastes every block, and compares the outputs with those on the page. Returns all outputs. */
async function paste(markdown: string, edit: Edit = (block) => block, before = ''): Promise<string[]> {
  const shell = openShell(folder.path)
  const said: string[] = []
  try {
    await shell.run(settings())
    if (before) await shell.run(before)
    for (const { language, text } of fencesOf(markdown)) {
      const last = said.at(-1) ?? ''
      if (language === 'text') expect(last.trim()).toMatch(asPattern(here(text)))
      if (language === 'json') expect(compact(last)).toMatch(asPattern(compact(here(text))))
      if (language !== 'sh') continue
      const block = await edit(here(text), last)
      expect(block, 'nothing is left to fill in').not.toMatch(/…|<id>/)
      const running = shell.run(block)
      if (/rolecall login (?!--paste)/.test(block)) await confirmSignIn(shell.output)
      said.push(await running)
      noteRun(text.trimEnd())
    }
  } finally {
    await shell.close()
  }
  return said
}

const refusalsIn = (said: readonly string[]) => said.filter((one) => /"status":[45]\d\d/.test(one))

/** Removes blocks that show answers, because a page may show an example instead of the exact answer. */
const typed = (markdown: string) => markdown.replaceAll(/^( *)```(?:json|text)\n[\s\S]*?^ *```$/gm, '')

test('the guide to inbound webhooks, command by command, says what it shows', async () => {
  const said = await paste(read('docs/guides/inbound-webhooks.md'))
  expect(said.length).toBe(10)
}, 60_000)

test('the guide to a login with curl, command by command, says what it shows', async () => {
  const { project } = await folder.kept()
  const values = {
    'https://id.example': demo.serviceUrl,
    'rck_…': project.apiKey,
    'ROLECALL_CLIENT_ID=…': `ROLECALL_CLIENT_ID=${project.id}`,
    'ROLECALL_SERVER_ID=…': `ROLECALL_SERVER_ID=${ids.mainGuildId}`,
    'https://site.example/callback': project.redirectUri,
  }
  const said = await paste(read('docs/guides/curl.md'), async (block, last) => {
    if (block.startsWith('CODE=')) return block.replace('rcc_…', await codeOf(last.trim(), 'Ada Osei'))
    return replaceAll(block, values)
  })
  expect(said.length).toBe(8)
}, 60_000)

test('the first project is registered by the commands of its guide', async () => {
  const said = await paste(read('docs/guides/first-project.md'), async (block, last) => {
    const filled = replaceAll(block, { 'https://id.example': demo.serviceUrl })
    expect(refusalsIn([last])).toEqual([])
    return filled.includes('<id>') ? filled.replace('<id>', JSON.parse(last).project.id) : filled
  })
  expect(JSON.parse(said.at(-1) ?? '')).toMatchObject({
    redirectUris: ['https://crew.example/auth/callback'],
  })
}, 60_000)

describe('commands with environment variables', () => {
  let variables: string
  let apiKey: string
  beforeAll(async () => {
    const { adminToken } = await folder.kept()
    const created = await fetch(`${demo.serviceUrl}/api/admin/projects`, {
      method: 'POST',
      headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'Wiki' }),
    })
    const answer = await created.json()
    apiKey = answer.apiKey
    variables = `ROLECALL_URL=${demo.serviceUrl} ADMIN_TOKEN=${adminToken} PROJECT=${answer.project.id}`
  })

  const pasteGuide = async (name: string) => {
    const said = await paste(typed(read(`docs/guides/${name}.md`)), undefined, variables)
    expect(refusalsIn(said)).toEqual([])
    expect(said.join('\n')).toContain('"id":')
  }

  test('in the guide to OpenID Connect are accepted', () => pasteGuide('openid-connect'))

  test('in the guide to reverse proxies let a proxy on this machine ask', async () => {
    await pasteGuide('forward-auth')
    const headers = { host: 'wiki.example.org', proto: 'https', uri: '/', method: 'GET' }
    const reply = await fetch(`${demo.serviceUrl}/api/forward-auth`, {
      headers: Object.entries(headers).map(([name, value]): [string, string] => [
        `x-forwarded-${name}`,
        value,
      ]),
    })
    expect([reply.status, await reply.json()]).toMatchObject([401, { code: 'LOGIN_REQUIRED' }])
  })

  test('in the guide to events open a stream and set an address', async () => {
    const [stream = '', address] = await paste(
      typed(read('docs/guides/events.md')),
      (block) =>
        replaceAll(block, {
          'https://id.example/api/events': `${demo.serviceUrl}/api/events?heartbeat=1`,
          // The stream is endless, so `head` stops it.
          "rck_…'": `${apiKey}' | head -n 4`,
        }),
      variables,
    )
    expect(stream).toMatch(/retry: \d+\nid: \S+\n/)
    expect(address).toContain('"eventsSecret":"whsec_')
  })
})

test('the commands that `npm start` prints answer with what it says', async () => {
  const printed = demo.output().matchAll(/^ {2}((?:export|curl) (?:.*\\\n)*.*)$/gm)
  const shell = openShell(folder.path)
  const said: string[] = []
  for (const [, command = ''] of printed) said.push(await shell.run(command))
  await shell.close()
  expect(said.map((one) => one && JSON.parse(one))).toMatchObject([
    { member: { id: ids.users.ada } },
    '',
    { data: [{ username: expect.stringContaining('berg') }, {}] },
  ])
  const summary = 'examples/demo-site/src/summary.ts'
  for (const { text } of commandsOfSource(summary, read(summary))) noteRun(text)
})

test('the command that the console shows for a new back end lists members', async () => {
  const { project } = await folder.kept()
  const page = 'apps/console/src/features/projects/created-project.tsx'
  const [, template = ''] = /text=\{`(curl [^`]+)`\}/.exec(read(page)) ?? []
  const values = { origin: demo.serviceUrl, server: ids.mainGuildId, apiKey: project.apiKey }
  const command = template
    .replaceAll(/\$\{(?:location\.)?(\w+)\}/g, (_, name: string) => Reflect.get(values, name))
    .replace('\\\\\\n', '\\\n')
  const shell = openShell(folder.path)
  expect(JSON.parse(await shell.run(command)).data).toHaveLength(50)
  await shell.close()
  noteRun("curl -s '…/api/servers/…/members?limit=50'")
})

describe('README.md', () => {
  const readme = read('README.md')
  const section = (from: string, to: string) =>
    readme.slice(readme.indexOf(`\n## ${from}\n`), readme.indexOf(`\n## ${to}\n`))

  test('begins with the commands that start a demo, and ends with the one that runs the tests, as CI does', () => {
    const commandsIn = (text: string) => fencesOf(text).map(({ text }) => text)
    expect(commandsIn(section('Try it', 'Add it to your app'))).toEqual([
      'git clone https://github.com/rolecall/rolecall.git\ncd rolecall\n',
      'npm ci && npm start\n',
    ])
    expect(commandsIn(readme.slice(readme.indexOf('\n## Contribute\n')))).toEqual(['npm ci && npm test\n'])
    const steps = read('.ci/run')
    for (const step of [/^step .* npm ci$/m, /^step .* npm test /m]) expect(steps).toMatch(step)
  })
})

const failuresIn = (said: readonly string[]) => [
  ...refusalsIn(said),
  ...said.filter((one) => /^\S*: /m.test(one)),
]

test('every command of the guide for a backend does what it says', async () => {
  const said = await paste(read('docs/guides/backend.md'), async (block, last) =>
    block.startsWith('CODE=') ? block.replace('rcc_…', await codeOf(last.trim(), 'Ada Osei')) : block,
  )
  expect(failuresIn(said)).toEqual([])
  const [exchanged, validated, refreshed] = said
    .filter((one) => one.startsWith('{'))
    .map((one) => JSON.parse(one))
  expect(exchanged).toMatchObject({ token: expect.stringMatching(/^rcs_/), member: { id: ids.users.ada } })
  expect(validated).toMatchObject({ member: { id: ids.users.ada }, session: { serverId: ids.mainGuildId } })
  expect(refreshed).toMatchObject({ accessToken: expect.not.stringMatching(`^${exchanged.token}$`) })
}, 120_000)

test('every command of the guide for an administrator does what it says', async () => {
  const said = await paste(read('docs/guides/administering.md'))
  expect(failuresIn(said)).toEqual([])
  expect(readFileSync(`${folder.path}/members.csv`, 'utf8').split('\n').length).toBeGreaterThan(400)
  expect(readFileSync(`${folder.path}/audit.csv`, 'utf8')).toContain('project.create')
}, 120_000)

// This test comes last, because it stops the demo.
test('the audit log is verified once the demo has stopped, as the guide says', async () => {
  await demo.stop()
  const said = await runShown('npx rolecall audit verify', { cwd: folder.path, fill: { 'npx ': '' } })
  expect(said).toMatch(/^ok {2}\d+ entries, unbroken/m)
}, 60_000)
