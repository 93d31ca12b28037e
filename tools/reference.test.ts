import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { figuresReference } from './generate-figures.ts'
import { pythonModels } from './generate-python.ts'
import { apiReference, configurationReference, errorReference, withGenerated } from './generate-reference.ts'

// `npm run docs` runs these with --update, which writes the pages instead of comparing them.

test.each([
  ['docs/reference/api.md', apiReference],
  ['docs/reference/errors.md', errorReference],
  ['docs/reference/configuration.md', configurationReference],
  ['docs/reference/figures.md', figuresReference],
  ['clients/python/src/rolecall/models.py', pythonModels],
])('%s says what the sources say', async (page, make) => {
  await expect(make()).toMatchFileSnapshot(`../${page}`)
})

test('the configuration and the figures in README.md say what the sources and the runs say', async () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
  await expect(withGenerated(readme)).toMatchFileSnapshot('../README.md')
})
