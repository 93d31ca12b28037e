import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { openApi } from '@rolecall/contract'
import spectral, { type RulesetDefinition } from '@stoplight/spectral-core'
import rulesets from '@stoplight/spectral-rulesets'
import { expect, test } from 'vitest'

const text = JSON.stringify(openApi('https://rolecall.example', '1.0.0'))
const here = dirname(fileURLToPath(import.meta.url))

test('Redocly finds nothing to complain about in the OpenAPI document, by its strict rules', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'rolecall-redocly-'))
  const file = join(folder, 'openapi.json')
  await writeFile(file, text)
  const redocly = join(
    dirname(createRequire(import.meta.url).resolve('@redocly/cli/package.json')),
    'bin/cli.js',
  )
  const options = ['--config', join(here, 'redocly.yaml'), '--format', 'json']
  const { stdout } = await promisify(execFile)(process.execPath, [redocly, 'lint', file, ...options], {
    // Sends no requests: neither for newer versions nor for statistics.
    env: { PATH: process.env['PATH'], REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
  })
  await rm(folder, { recursive: true })
  const { problems } = JSON.parse(stdout) as { problems: { ruleId: string; message: string }[] }
  expect(problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([])
})

test('Spectral finds nothing to complain about in it, by its rules for OpenAPI', async () => {
  const linter = new spectral.Spectral()
  // The types of the rules and of the linter's input are not compatible.
  linter.setRuleset(rulesets.oas as unknown as RulesetDefinition)
  const problems = await linter.run(JSON.parse(text))
  expect(problems.map(({ code, path, message }) => `${code} at ${path.join('/')}: ${message}`)).toEqual([])
}, 240_000)
