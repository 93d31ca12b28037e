import { expect, test } from 'vitest'
import { root } from './collect.ts'
import { runShown } from './run.ts'

test.each([
  ['openssl rand -hex 32', /^[0-9a-f]{64}\n$/],
  ['openssl rand -base64 32', /^[\w+/]{43}=\n$/],
  ['npm run bench -- --help', /^npm run bench$/m],
  ['npx rolecall openapi', /"openapi": ?"3\.1\.0"/],
])('%s prints the output that the text relies on', async (text, expected) => {
  expect(await runShown(text, { cwd: root, env: { HOME: process.env['HOME'] ?? root } })).toMatch(expected)
})
