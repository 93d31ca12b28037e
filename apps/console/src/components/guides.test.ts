import { expect, test } from 'vitest'
import { guides } from './guides.ts'
import { helpPages } from './runbooks.ts'

const pages = Object.keys(import.meta.glob('../../../../docs/{guides,runbooks}/*.md')).map((path) =>
  path.split('/docs/').at(-1),
)

test.each(Object.keys(guides))('the guide %s exists', (guide) => {
  expect(pages).toContain(`guides/${guide}.md`)
})

test.each(Object.entries(helpPages))('the page about %s exists', (_, page) => {
  expect(pages).toContain(`${page}.md`)
})
