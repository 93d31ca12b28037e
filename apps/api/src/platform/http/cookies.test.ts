import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cookie, readCookie } from './cookies.ts'

const name = 'svc_auth_req'

describe('readCookie', () => {
  test('reads back what was set, among other cookies', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[A-Za-z0-9_.]{1,300}$/), (value) => {
        const terms = { path: '/', maxAgeSec: 60, sameSite: 'lax', secure: false } as const
        const [pair = ''] = cookie(name, value, terms).split(';')
        expect(readCookie(`a=1; ${pair}; b=2`, name)).toBe(value)
      }),
    )
  })

  test('two cookies of one name are none, however they are written', () => {
    for (const header of [`${name}=a; ${name}=b`, `${name}=a;${name}=a`, `x=1;  ${name}=a; ${name}=`]) {
      expect(readCookie(header, name), header).toBeUndefined()
    }
  })

  test('a name that only ends or begins like ours is another cookie', () => {
    expect(readCookie(`x${name}=a; ${name}x=b; ${name}=c`, name)).toBe('c')
    expect(readCookie(`x${name}=a`, name)).toBeUndefined()
  })

  test('a name after a space of Unicode is another cookie, which a sibling host can set despite `__Host-`', () => {
    for (const space of ['\xa0', '\ufeff', '\u2000', '\v', '\f']) {
      expect(readCookie(`${space}${name}=a`, name), JSON.stringify(space)).toBeUndefined()
      expect(readCookie(`${space}${name}=a; ${name}=b`, name), JSON.stringify(space)).toBe('b')
    }
    expect(readCookie(`x=1;\t ${name}=b`, name)).toBe('b')
  })

  test('no header of a client makes it throw', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
        readCookie(text, name)
        readCookie(`${name}=${text}`, name)
        readCookie(`${name}=%E0%A4%A; ${text}`, name)
      }),
    )
    expect(readCookie(undefined, name)).toBeUndefined()
  })
})

describe('cookie', () => {
  test('is never readable by scripts; secure exactly when asked; age 0 deletes it', () => {
    const terms = { path: '/api/auth', maxAgeSec: 600, sameSite: 'lax', secure: true } as const
    expect(cookie(name, 'v', terms)).toBe(
      `${name}=v; Max-Age=600; Path=/api/auth; HttpOnly; Secure; SameSite=Lax`,
    )
    expect(cookie(name, 'v', { ...terms, secure: false, sameSite: 'strict' })).toBe(
      `${name}=v; Max-Age=600; Path=/api/auth; HttpOnly; SameSite=Strict`,
    )
    expect(cookie(name, '', { ...terms, maxAgeSec: 0 })).toMatch(/^svc_auth_req=; Max-Age=0;/)
  })
})
