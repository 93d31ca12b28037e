import { describe, expect, test } from 'vitest'
import { endpoints } from './contract.ts'
import { type ErrorDefinition, errors } from './errors.ts'
import { problemExamples } from './openapi-responses.ts'

const rows = Object.entries<ErrorDefinition>(errors).map(([name, row]) => ({ name, ...row }))

/** A fix begins with a verb for the reader, or names another person who must act. */
const verbs =
  /^(Activate|Ask|Begin|Call|Check|Choose|Compute|Configure|Correct|Delete|Do not|Invite|Leave|List|Omit|Open|Read|Revoke|Send|Set|Shorten|Sign|Start|Submit|Try|Use|Wait) |^(A System Admin|The operator) \w+s /

describe('every error says what to do', () => {
  test.each(rows)('$name', ({ title, fix, when, note }) => {
    expect(fix).not.toBe(title)
    expect(fix).toMatch(verbs)
    // Each is a sentence, so that a detail can stand between them.
    expect([title, fix, when, note].filter((text) => text && !/^[A-Z].*\.$/.test(text))).toEqual([])
    // A fix ends `detail`, so it cannot refer to it.
    expect(fix).not.toMatch(/\bdetail\b/)
  })

  test('and refers only to other codes that there are', () => {
    const codes = new Set(rows.map(({ name, code = name }) => code))
    expect(
      rows.flatMap(({ name, see = [] }) => see.filter((one) => !codes.has(one) || one === name)),
    ).toEqual([])
  })

  test('and has a retry that fits the status', () => {
    const waiting = rows.filter(({ retry }) => retry === 'later').map(({ status }) => status)
    expect(new Set(waiting)).toEqual(new Set([429, 503]))
    expect(rows.filter(({ status, retry }) => status === 429 && retry !== 'later')).toEqual([])
  })

  test('and names only endpoints that there are', () => {
    const shape = (path: string) => path.replaceAll(/\{\w+\}/g, '{}')
    const known = new Set(endpoints.map(({ method, path }) => `${method} ${shape(path)}`))
    const named = rows.flatMap(({ fix, note = '' }) => [
      ...`${fix} ${note}`.matchAll(/\b(GET|POST|PUT|PATCH|DELETE) (\/[\w/{}-]+)/g),
    ])
    expect(named.length).toBeGreaterThan(10)
    expect(
      named.map(([, method, path = '']) => `${method} ${shape(path)}`).filter((one) => !known.has(one)),
    ).toEqual([])
  })

  test('in the examples of the OpenAPI document too', () => {
    const examples = Object.values(problemExamples('https://id.example')) as {
      value: { title: string; detail: string }
    }[]
    expect(examples).toHaveLength(rows.length)
    expect(examples.filter(({ value }) => value.detail === value.title)).toEqual([])
  })
})
