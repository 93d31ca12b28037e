import { expect, test } from 'vitest'
import { guideAddress, guides } from './guides.ts'

const pages = Object.keys(import.meta.glob('../../../../docs/guides/*.md')).map((path) =>
  path.split('/').at(-1),
)

test.each(Object.keys(guides) as (keyof typeof guides)[])('the guide %s exists', (guide) => {
  expect(pages).toContain(`${guide}.md`)
  expect(guideAddress(guide)).toMatch(new RegExp(`/docs/guides/${guide}\\.md$`))
})
