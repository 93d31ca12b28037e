import { execFileSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fencesOf } from '../../acceptance/browser/shell.ts'
import { sign } from '../../packages/sdk/src/sign.ts'
import { read } from './collect.ts'

const page = read('docs/guides/inbound-webhooks.md')
/** Returns the code block of a language that defines the function `sign`. */
const sample = (language: string) =>
  fencesOf(page).find((fence) => fence.language === language && fence.text.includes(' sign('))?.text ?? ''

const [secret, body, seconds] = ['whsec_sample', '{"name":"Tomás"}', 1_790_000_000]
const expected = await sign({ secret, body, at: new Date(seconds * 1_000) })

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rolecall-samples-'))
})
afterAll(() => rm(folder, { recursive: true }))

test('the sample for Node.js in the guide to inbound webhooks signs as the client library does', async () => {
  const file = join(folder, 'sign.mjs')
  await writeFile(file, sample('js'))
  const { sign: signs } = await import(pathToFileURL(file).href)
  expect(signs(secret, body, seconds)).toBe(expected)
})

test('the sample for Python in the guide to inbound webhooks signs as the client library does', async () => {
  const file = join(folder, 'sign.py')
  const call = `import sys\nprint(sign(sys.argv[1], sys.argv[2].encode(), ${seconds}))\n`
  await writeFile(file, `${sample('python')}\n${call}`)
  expect(execFileSync('python3', [file, secret, body], { encoding: 'utf8' }).trim()).toBe(expected)
})
