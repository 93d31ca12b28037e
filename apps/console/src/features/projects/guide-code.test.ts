import { expect, test } from 'vitest'
import { loadListings, loadSigning } from './guide-code.ts'
import { stacks } from './stacks.ts'

test('the code that signs is that of the guide, with the address of the webhook and a payload that a shell leaves alone', async () => {
  const code = await loadSigning('tide-reports', '{"text":"it\'s $5"}')
  expect(code).toContain('openssl dgst -sha256 -hmac "$SECRET"')
  expect(code).toContain('/api/inbound-webhooks/tide-reports/submit')
  expect(code).not.toContain('readings')
  expect(code.split('\n').at(-1)).toBe(`submit '{"text":"it'\\''s $5"}'`)
})

test.each(stacks)('the environment of %s has the values of the project', async (stack) => {
  const listings = await loadListings(stack, { ROLECALL_CLIENT_ID: 'prj_1' })
  const environments = listings.filter(({ text }) => text.includes('ROLECALL_URL='))
  expect(environments.map(({ title }) => title)).toEqual(['Environment'])
  expect(environments[0]?.text).toContain('\nROLECALL_CLIENT_ID=prj_1\n')
})

test.each(stacks)(
  'each listing of %s has a title of its own, and asks for the role of the project',
  async (stack) => {
    const listings = await loadListings(stack, {}, { id: '7', name: 'Crew\nstop()' })
    const titles = listings.map(({ title }) => title)
    expect(new Set(titles).size).toBe(titles.length)
    const commands = ['Install', 'Environment', 'Start']
    expect(titles.filter((title) => !/\.\w+$/.test(title) && !commands.includes(title))).toEqual([])
    const code = listings.map(({ text }) => text).join('\n')
    expect(code).toMatch(/(anyOf: \['7'\].* \/\/|role_id = "7" #) the role Crew stop\(\)$/m)
    expect(code).not.toMatch(/\d{17}/)
    const open = (await loadListings(stack, {})).map(({ text }) => text).join('\n')
    expect(open).toMatch(/['"]ROLE_ID['"].* (\/\/|#) put the ID of a role here$/m)
  },
)
