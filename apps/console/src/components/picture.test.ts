import { expect, test } from 'vitest'
import { pictureAddress } from './picture.tsx'

test.each([
  [
    'https://cdn.discordapp.com/avatars/147411382252470273/a_0f.gif',
    '/api/admin/images/avatars/147411382252470273/a_0f',
  ],
  [
    'https://cdn.discordapp.com/icons/147411382252470273/0f.png',
    '/api/admin/images/icons/147411382252470273/0f',
  ],
  ['https://cdn.discordapp.com/embed/avatars/0.png', undefined],
  ['https://evil.example/x.png', undefined],
  [null, undefined],
])('a picture at %s is asked for at %s', (url, address) => {
  expect(pictureAddress(url)).toBe(address)
})
