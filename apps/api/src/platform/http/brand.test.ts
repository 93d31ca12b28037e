import { expect, test } from 'vitest'
import { accentStyle, brandHeader, initialsOf } from './brand.ts'

test.each([
  ['Harbour Club', 'HC'],
  ['the sailing club', 'TS'],
  ['  Ünder  ', 'Ü'],
  ['⚓ Harbour', 'H'],
  ['日本語 サーバー', '日サ'],
  ['!!!', ''],
  ['', ''],
])('the initials of %j are %j', (name, initials) => {
  expect(initialsOf(name)).toBe(initials)
})

test('names are text, and their direction stays within them', () => {
  const name = '"><script>alert(1)</script>\u202e'
  const header = brandHeader({ server: { name, image: '/a"b' }, site: { name }, accentColor: null })
  expect(header).not.toContain('<script>')
  expect(header).toContain('src="/a&#34;b"')
  expect(header.match(/<bdi>/g)).toHaveLength(2)
})

test('a page without a name has no header, and one without a color no style', () => {
  expect(brandHeader({ accentColor: '#ffd400' })).toBe('')
  expect(accentStyle({ accentColor: null })).toBeUndefined()
  expect(accentStyle({ accentColor: '#ffd400' })).toBe(':root{--accent:#ffd400;--on-accent:#000000}')
})
