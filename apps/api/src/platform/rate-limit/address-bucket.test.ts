import { expect, test } from 'vitest'
import { addressBucket } from './address-bucket.ts'

test.each([
  ['192.0.2.1', 'address:192.0.2.1'],
  ['::ffff:192.0.2.1', 'address:192.0.2.1'],
  ['::FFFF:192.0.2.1', 'address:192.0.2.1'],
  ['::ffff:c000:201', 'address:192.0.2.1'],
  ['0:0:0:0:0:FFFF:C000:0201', 'address:192.0.2.1'],
  ['0000:0000::ffff:192.0.2.1', 'address:192.0.2.1'],
  ['garbage', 'address:none'],
  ['192.0.2.1:443', 'address:none'],
  ['', 'address:none'],
  ['2001:db8:1:2:3:4:5:6', 'address:2001:db8:1:2::/64'],
  ['2001:0db8:0001:0002::', 'address:2001:db8:1:2::/64'],
  ['2001:DB8:1:2::ffff', 'address:2001:db8:1:2::/64'],
  ['2001:db8::1', 'address:2001:db8:0:0::/64'],
  ['64:ff9b::192.0.2.33', 'address:64:ff9b:0:0::/64'],
  ['fe80::1%eth0', 'address:fe80:0:0:0::/64'],
  ['::1', 'address:0:0:0:0::/64'],
  ['::', 'address:0:0:0:0::/64'],
  ['1::2:3:4:5:6:7', 'address:1:0:2:3::/64'],
])('%s counts as %s', (ip, bucket) => {
  expect(addressBucket(ip)).toBe(bucket)
})

test('all addresses of one /64 share a bucket, and the next /64 has another', () => {
  expect(addressBucket('2001:db8:1:2::1')).toBe(addressBucket('2001:db8:1:2:ffff:ffff:ffff:ffff'))
  expect(addressBucket('2001:db8:1:2::1')).not.toBe(addressBucket('2001:db8:1:3::1'))
})
