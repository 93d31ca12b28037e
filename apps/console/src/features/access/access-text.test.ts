import { expect, test } from 'vitest'
import { accessText } from './access-text.ts'

const main = { isMain: true }
const other = { isMain: false }
const none = { READ: false, SEND_MESSAGES: false, MANAGE_WEBHOOKS: false }

test.each([
  ['a project without a mapping', false, main, undefined, 'None'],
  ['an internal project in the main server', true, main, undefined, 'Main server (internal)'],
  ['an internal project in another server', true, other, undefined, 'None'],
  ['a mapping', false, other, { operations: { ...none, READ: true }, scopes: [] }, 'sign in'],
  ['a mapping that grants nothing', false, main, { operations: none, scopes: [] }, 'nothing'],
  [
    'an internal project with a mapping, which limits its scopes',
    true,
    main,
    { operations: none, scopes: ['read_members' as const] },
    'Main server (internal): sign in, members',
  ],
])('the text of %s tells what it can do', (_, isInternal, server, mapping, text) => {
  expect(accessText({ isInternal }, server, mapping)).toBe(text)
})
