import { expect, test } from 'vitest'
import { Front } from './front.ts'
import { createBodyReader } from './read-bytes.ts'

test('a path with parameters matches only plain values, and nothing after them', () => {
  const front = new Front(createBodyReader())
  front.add('GET /api/servers/{serverId}/members/{memberId}', 0, () => true)
  front.add('GET /api/a.b/{id}', 0, () => true)
  const paramsOf = (target: string) => {
    const params = front.find(target)?.params
    return params && { ...params }
  }
  expect(paramsOf('GET /api/servers/11/members/22')).toEqual({ serverId: '11', memberId: '22' })
  expect(paramsOf('GET /api/a.b/a_B-1')).toEqual({ id: 'a_B-1' })
  for (const target of [
    'POST /api/servers/11/members/22',
    'GET /api/servers/11/members',
    'GET /api/servers/11/members/',
    'GET /api/servers//members/22',
    'GET /api/servers/11/members/22/',
    'GET /api/servers/11/members/22?',
    'GET /api/servers/11/members/%322',
    'GET /api/servers/11/members/22\n',
    'GET /api/servers/11/22/members/33',
    'GET //api/servers/11/members/22',
    'GET /api/aXb/1',
  ])
    expect(paramsOf(target), target).toBeUndefined()
})
