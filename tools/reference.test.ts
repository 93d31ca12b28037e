import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import {
  apiReference,
  configurationReference,
  errorReference,
  withConfiguration,
} from './generate-reference.ts'

// `npm run docs` runs these with --update, which writes the pages instead of comparing them.

test.each([
  ['docs/reference/api.md', apiReference],
  ['docs/reference/errors.md', errorReference],
  ['docs/reference/configuration.md', configurationReference],
])('%s says what the sources say', async (page, make) => {
  await expect(make()).toMatchFileSnapshot(`../${page}`)
})

test('the configuration in README.md says what the sources say', async () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
  await expect(withConfiguration(readme)).toMatchFileSnapshot('../README.md')
})
