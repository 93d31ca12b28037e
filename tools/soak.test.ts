import { describe, expect, test } from 'vitest'
import type { Answer } from '../bench/src/soak/answer.ts'
import { heldWithin, type Member } from '../bench/src/soak/ledger.ts'
import { createVerdicts } from '../bench/src/soak/verdicts.ts'
import { Claim } from '../bench/src/strict/claim.ts'

// `npm run soak` and `npm run strict` report that nothing was lost or stale. These tests show that they would report
// it.

const answer = (status: number, more: Partial<Answer> = {}): Answer => ({
  status,
  code: undefined,
  body: {},
  headers: new Headers(status === 503 ? { 'retry-after': '1' } : {}),
  at: 0,
  requestId: 'a-request-id',
  ...more,
})
const of = (one: Answer) => ({ method: 'POST', path: '/api/auth/validate', answer: one, ms: 1 })
const unavailable = answer(503, { code: 'DATABASE_UNAVAILABLE' })

describe('the verdict on an answer', () => {
  test('what no fault explains is told, and what one explains is counted', () => {
    let now = 0
    const verdicts = createVerdicts(() => now)
    verdicts.answered(of(unavailable))
    expect(verdicts.unexplained).toHaveLength(1)
    const end = verdicts.begin('database killed', { codes: ['DATABASE_UNAVAILABLE'] })
    verdicts.answered(of(unavailable))
    end()
    now = 4_000
    verdicts.answered(of(unavailable))
    expect(verdicts.counts.explained).toBe(2)
    expect(verdicts.lastFault()).toEqual({ failures: 2, lastedMs: 0, recoveryMs: 4_000 })
    now = 6_000
    verdicts.answered(of(unavailable))
    expect(verdicts.unexplained).toHaveLength(2)
  })

  test('a fault explains what it allows alone', () => {
    const verdicts = createVerdicts()
    verdicts.begin('instance killed', { lost: 1 })
    verdicts.answered(of(answer(0, { at: 1 })))
    expect(verdicts.unexplained).toEqual([])
    verdicts.answered(of(answer(0, { at: 0 })))
    verdicts.answered(of(unavailable))
    verdicts.loginRefused('temporarily_unavailable')
    expect(verdicts.unexplained).toHaveLength(3)
  })

  test('a 500, and a 503 without Retry-After, are wrong during any fault', () => {
    const verdicts = createVerdicts()
    verdicts.begin('everything', { lost: true, codes: ['DATABASE_UNAVAILABLE'], logins: true })
    verdicts.answered(of(answer(500)))
    verdicts.answered(of({ ...unavailable, headers: new Headers() }))
    expect(verdicts.wrong).toHaveLength(2)
  })
})

test('an answer is stale only if it was asked for after the acknowledgement of an end', () => {
  const claim = new Claim()
  const whileLive = claim.asked()
  expect([whileLive(true), whileLive(false), whileLive(undefined)]).toEqual([
    'accepted',
    'lost',
    'unanswered',
  ])
  claim.become('ending')
  const whileEnding = claim.asked()
  expect([whileLive(false), whileEnding(true)]).toEqual(['changed meanwhile', 'changed meanwhile'])
  claim.become('ended')
  expect(whileEnding(true)).toBe('changed meanwhile')
  const afterEnd = claim.asked()
  expect([afterEnd(true), afterEnd(false)]).toEqual(['stale', 'refused'])
  claim.become('starting')
  expect(afterEnd(true)).toBe('changed meanwhile')
  claim.become('live')
  expect(claim.asked()(false)).toBe('lost')
})

test('roles are true only within the time for which they were held', () => {
  const history = [
    { from: 0, roles: 'a' },
    { from: 1_000, roles: 'b' },
  ]
  const member: Member = {
    id: '1',
    isBusy: false,
    isBlocked: false,
    leftAt: undefined,
    sessions: [],
    history,
  }
  expect(heldWithin(member, 'a', 900, 2_000)).toBe(true)
  expect(heldWithin(member, 'a', 1_100, 2_000)).toBe(false)
  expect(heldWithin(member, 'b', 0, 900)).toBe(false)
  expect(heldWithin(member, 'b', 1_100, 2_000)).toBe(true)
})
