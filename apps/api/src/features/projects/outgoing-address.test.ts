import { describe, expect, test } from 'vitest'
import { readOutgoingUrl } from './outgoing-address.ts'

const production = { production: true, allowPrivateEventUrls: false }
const development = { ...production, production: false }

describe('addresses for events', () => {
  test.each([
    ['https://crew.example/events', 'https://crew.example/events'],
    ['https://crew.example', 'https://crew.example/'],
    ['https://CREW.example:443/Events?a=1', 'https://crew.example/Events?a=1'],
    ['https://crew.example:8443/events', 'https://crew.example:8443/events'],
    ['https://bücher.example/events', 'https://xn--bcher-kva.example/events'],
    ['https://8.8.8.8/events', 'https://8.8.8.8/events'],
    ['https://[2606:4700:4700::1111]/events', 'https://[2606:4700:4700::1111]/events'],
  ])('%s is taken', (text, stored) => {
    expect(readOutgoingUrl(text, production)).toBe(stored)
  })

  test.each([
    'http://crew.example/events',
    'ftp://crew.example/events',
    'file:///etc/passwd',
    '//crew.example/events',
    'crew.example',
    'https://',
    'https:crew.example/events',
    'https:/crew.example/events',
    'https:///crew.example/events',
    'https://user@crew.example/',
    'https://user:secret@crew.example/',
    'https://@crew.example/',
    'https://crew.example/#x',
    'https://crew.example/#',
    'https://crew.example\\@127.0.0.1/',
    'https://crew.example/\n',
    ' https://crew.example/',
    'https://crew.example:22/',
    'https://crew.example:25/',
    'https://crew.example:80/',
    'https://crew.example:0/',
    'https://crew.example:65536/',
    'https://localhost/',
    'https://localhost./',
    'https://LOCALHOST/',
    'https://x.localhost/',
    'https://crew.example./',
    'https://intranet/',
    'https://127.0.0.1/',
    'https://127.1/',
    'https://2130706433/',
    'https://0x7f000001/',
    'https://0x7f.1/',
    'https://017700000001/',
    'https://0177.0.0.1/',
    'https://0/',
    'https://0.0.0.0/',
    'https://10.1.2.3/',
    'https://169.254.169.254/latest/meta-data/',
    'https://168.63.129.16/',
    'https://１２７.0.0.1/',
    'https://127。0。0。1/',
    'https://%31%32%37.0.0.1/',
    'https://[::]/',
    'https://[::1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:7f00:1]/',
    'https://[::127.0.0.1]/',
    'https://[64:ff9b::7f00:1]/',
    'https://[2002:7f00:1::]/',
    'https://[fe80::1]/',
    'https://[fe80::1%25eth0]/',
    'https://[fd00:ec2::254]/',
  ])('%s is refused', (text) => {
    expect(readOutgoingUrl(text, production)).toBeUndefined()
  })

  test('outside production loopback is taken, also in plain http, and nothing else that is private', () => {
    for (const text of ['http://127.0.0.1:4000/events', 'http://localhost:4000/', 'https://[::1]:4000/']) {
      expect(readOutgoingUrl(text, development)).toBe(text)
      expect(readOutgoingUrl(text, production)).toBeUndefined()
    }
    for (const text of [
      'http://10.0.0.1:4000/',
      'https://10.0.0.1/',
      'http://x.localhost:4000/',
      'http://[::ffff:127.0.0.1]:4000/',
    ])
      expect(readOutgoingUrl(text, development)).toBeUndefined()
  })

  test('private addresses are taken where the operator says so, and only encrypted', () => {
    const open = { production: true, allowPrivateEventUrls: true }
    expect(readOutgoingUrl('https://10.0.0.1/', open)).toBe('https://10.0.0.1/')
    expect(readOutgoingUrl('https://intranet/', open)).toBe('https://intranet/')
    expect(readOutgoingUrl('http://10.0.0.1:4000/', open)).toBeUndefined()
    expect(readOutgoingUrl('http://127.0.0.1:4000/', open)).toBeUndefined()
  })
})
