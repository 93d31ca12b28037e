import { deflateSync } from 'node:zlib'
import { logoTypes, maxLogoBytes, maxLogoSide } from '@rolecall/contract'
import { beforeEach, describe, expect, test } from 'vitest'
import { givenAdministration } from '../../../test/administration.ts'
import { call } from '../../../test/client.ts'
import { ciEngines } from '../../../test/databases.ts'
import { idat, iend, ihdr, png, pngOf, webp } from '../../../test/images.ts'
import { madeForTests } from '../../../test/made-for-tests.ts'
import { worldForTests } from '../../../test/world-for-tests.ts'

const maxSide = maxLogoSide
const [pngType, webpType] = logoTypes

/** Returns the image with one byte changed. */
const withByte = (image: Buffer, at: number, value: number) => {
  const changed = Buffer.from(image)
  changed[at] = value
  return changed
}
const rows = (count: number, length: number, filter = 0) => Buffer.alloc(count * length, filter)
const withRiffSize = (image: Buffer) => {
  const changed = Buffer.from(image)
  changed.writeUInt32LE(changed.length - 8, 4)
  return changed
}
/** Adam7 of 5 × 5 pixels: the rows of its seven passes. */
const interlaced = Buffer.concat(
  [
    [1, 1],
    [1, 1],
    [1, 2],
    [2, 1],
    [1, 3],
    [3, 2],
    [2, 5],
  ].flatMap(([height = 0, width = 0]) => Array.from({ length: height }, () => Buffer.alloc(1 + width * 4))),
)

const accepted: readonly [string, string, Buffer][] = [
  ['a PNG with alpha', pngType, png()],
  ['the largest PNG', pngType, png(maxSide, maxSide)],
  [
    'a PNG of one bit',
    pngType,
    pngOf(ihdr({ width: 9, height: 3, depth: 1, colorType: 0 }), idat(rows(3, 3)), iend),
  ],
  ['an interlaced PNG', pngType, pngOf(ihdr({ width: 5, height: 5, interlace: 1 }), idat(interlaced), iend)],
  [
    'a PNG with a palette',
    pngType,
    pngOf(ihdr({ colorType: 3 }), ['PLTE', Buffer.alloc(6)], idat(rows(2, 3)), iend),
  ],
  [
    'a PNG whose pixels are in two chunks',
    pngType,
    pngOf(
      ihdr(),
      ['IDAT', deflateSync(rows(2, 9)).subarray(0, 5)],
      ['IDAT', deflateSync(rows(2, 9)).subarray(5)],
      ['tEXt', Buffer.from('Comment\0hello')],
      iend,
    ),
  ],
  ['a lossy WebP', webpType, webp.lossy],
  ['a lossless WebP', webpType, webp.lossless],
  ['a WebP with alpha', webpType, webp.alpha],
]

const image = Buffer.from(png())
const rejected: readonly [string, string, Buffer, RegExp][] = [
  ['no bytes', pngType, Buffer.alloc(0), /not a PNG/],
  ['JSON', pngType, Buffer.from('{}'), /not a PNG/],
  ['SVG', pngType, Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>'), /not a PNG/],
  ['a WebP that claims to be a PNG', pngType, webp.lossy, /not a PNG/],
  ['a PNG that claims to be a WebP', webpType, image, /not a WebP/],
  ['a PNG cut in its header', pngType, image.subarray(0, 20), /truncated/],
  ['a PNG cut in its pixels', pngType, image.subarray(0, -20), /truncated/],
  ['a PNG without its end', pngType, image.subarray(0, -12), /truncated/],
  ['a PNG with a wrong checksum', pngType, withByte(image, 29, 1), /damaged/],
  ['a PNG with a chunk of four gigabytes', pngType, withByte(image, 8, 255), /truncated/],
  [
    'a PNG with a script behind its end',
    pngType,
    Buffer.concat([image, Buffer.from('<script>')]),
    /after its end/,
  ],
  ['an animated PNG', pngType, pngOf(ihdr(), ['acTL', Buffer.alloc(8)], idat(rows(2, 9)), iend), /animated/],
  ['a PNG without pixels', pngType, pngOf(ihdr(), iend), /damaged/],
  ['a PNG of no width', pngType, pngOf(ihdr({ width: 0 }), idat(rows(2, 1)), iend), /no pixels/],
  ['a PNG with two headers', pngType, pngOf(ihdr(), ihdr(), idat(rows(2, 9)), iend), /damaged/],
  [
    'a PNG with an unknown color type',
    pngType,
    pngOf(ihdr({ colorType: 5 }), idat(rows(2, 9)), iend),
    /damaged/,
  ],
  [
    'a PNG of a depth that its colors cannot have',
    pngType,
    pngOf(ihdr({ depth: 4 }), idat(rows(2, 9)), iend),
    /damaged/,
  ],
  ['a PNG without its palette', pngType, pngOf(ihdr({ colorType: 3 }), idat(rows(2, 3)), iend), /damaged/],
  [
    'a PNG with an unknown critical chunk',
    pngType,
    pngOf(ihdr(), ['EVIL', Buffer.alloc(1)], idat(rows(2, 9)), iend),
    /damaged/,
  ],
  ['a PNG whose pixels are not compressed', pngType, pngOf(ihdr(), ['IDAT', rows(2, 9)], iend), /damaged/],
  ['a PNG with a row missing', pngType, pngOf(ihdr(), idat(rows(1, 9)), iend), /damaged/],
  ['a PNG with an unknown filter', pngType, pngOf(ihdr(), idat(rows(2, 9, 7)), iend), /damaged/],
  [
    'a PNG that decompresses to 50 MB',
    pngType,
    pngOf(ihdr(), idat(Buffer.alloc(50_000_000)), iend),
    /damaged/,
  ],
  ['a PNG that is one pixel too wide', pngType, png(maxSide + 1, 1), /513 × 1 pixels/],
  [
    'a PNG that claims two billion pixels a side',
    pngType,
    pngOf(ihdr({ width: 2 ** 31 - 1, height: 2 ** 31 - 1 }), idat(rows(1, 9)), iend),
    /pixels/,
  ],
  ['an animated WebP', webpType, webp.animated, /animated/],
  ['a WebP cut in its pixels', webpType, webp.lossy.subarray(0, -4), /truncated/],
  [
    'a WebP with data behind its end',
    webpType,
    Buffer.concat([webp.lossless, Buffer.from('<script>')]),
    /after its end/,
  ],
  ['a WebP whose chunk is cut', webpType, withRiffSize(webp.lossless.subarray(0, -4)), /truncated/],
  ['a WebP without a frame', webpType, withRiffSize(webp.lossless.subarray(0, 12)), /damaged/],
  ['a WebP that begins with no key frame', webpType, withByte(webp.lossy, 20, 0x31), /damaged/],
  ['a WebP without the start code of VP8', webpType, withByte(webp.lossy, 23, 0), /damaged/],
  ['a WebP of an unknown version', webpType, withByte(webp.lossless, 24, 0x30), /damaged/],
  ['a WebP whose canvas is not its frame', webpType, withByte(webp.alpha, 24, 9), /damaged/],
  ['a WebP that is too large', webpType, withByte(webp.lossless, 22, 3), /pixels/],
]

describe.each(ciEngines)('the logo of a project on %s', (engine) => {
  const world = worldForTests(engine, { PERMISSION_TTL_MS: '3600000', RATE_LIMIT_GLOBAL: '0' })
  const admin = madeForTests(() => givenAdministration(world))
  let id: string
  let made = 0
  beforeEach(async () => {
    made += 1
    id = (await admin.create({ name: `Harbour log ${made}` })).project.id
  })

  const adminPath = () => `/api/admin/projects/${id}/logo`
  const put = (type: string, bytes: Buffer, headers = {}) =>
    call(world.url, 'PUT', adminPath(), {
      token: admin.token,
      raw: new Uint8Array(bytes),
      headers: { 'content-type': type, ...headers },
    })
  const get = (search = '', headers = {}) =>
    fetch(`${world.url}/api/projects/${id}/logo${search}`, { headers })
  const project = async () =>
    (await call(world.url, 'GET', `/api/admin/projects/${id}`, { token: admin.token })).body
  const entries = async () => (await admin.audit(id)).filter(({ action }) => action === 'project.update')

  test.each(accepted)('takes %s and returns the same bytes to any client', async (_, type, bytes) => {
    expect((await put(type, bytes)).status).toBe(204)
    const reply = await get()
    expect([reply.status, reply.headers.get('content-type')]).toEqual([200, type])
    expect(Buffer.from(await reply.arrayBuffer()).equals(bytes)).toBe(true)
    expect((await project()).branding).toEqual({ accentColor: null, hasLogo: true })
  })

  test.each(rejected)('refuses %s, and keeps what is there', async (_, type, bytes, detail) => {
    const reply = await put(type, bytes)
    expect([reply.status, reply.body.code]).toEqual([400, 'IMAGE_INVALID'])
    expect(reply.body.detail).toMatch(detail)
    expect((await get()).status).toBe(404)
    expect(await entries()).toEqual([])
  })

  test('refuses every PNG and WebP that is cut anywhere', async () => {
    for (const [type, whole] of [
      [pngType, image],
      [webpType, webp.alpha],
    ] as const) {
      const lengths = Array.from({ length: whole.length }, (_, length) => length)
      const statuses = await Promise.all(
        lengths.map(async (length) => (await put(type, whole.subarray(0, length))).status),
      )
      expect(new Set(statuses)).toEqual(new Set([400]))
    }
  })

  test.each([
    ['SVG', { 'content-type': 'image/svg+xml' }, 415],
    ['GIF', { 'content-type': 'image/gif' }, 415],
    ['JSON', { 'content-type': 'application/json' }, 415],
    ['a compressed body', { 'content-encoding': 'gzip' }, 415],
    ['a type with a parameter', { 'content-type': 'IMAGE/PNG; charset=binary' }, 204],
  ])('decides by the headers about %s', async (_, headers, status) => {
    const reply = await put(pngType, image, headers)
    expect(reply.status).toBe(status)
    if (status === 415) expect(reply.body.code).toBe('UPLOAD_TYPE_UNSUPPORTED')
  })

  test('refuses a body beyond 64 KiB before it is decoded', async () => {
    const comment = (size: number): Buffer =>
      pngOf(ihdr(), ['tEXt', Buffer.alloc(size)], idat(rows(2, 9)), iend)
    const room = maxLogoBytes - comment(0).length
    expect((await put(pngType, comment(room))).status).toBe(204)
    expect((await put(pngType, comment(room + 1))).body).toMatchObject({
      status: 413,
      code: 'PAYLOAD_TOO_LARGE',
    })
  })

  test('is cached for as long as its address may mean the same image, and confirmed by its hash', async () => {
    await put(pngType, image)
    const first = await get()
    const etag = first.headers.get('etag') ?? ''
    expect(first.headers.get('cache-control')).toBe('public, max-age=300')
    expect(first.headers.get('x-content-type-options')).toBe('nosniff')
    expect(first.headers.get('content-security-policy')).toContain("default-src 'none'")
    const byHash = await get(`?v=${etag.slice(1, -1)}`)
    expect(byHash.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect((await get('?v=another')).headers.get('cache-control')).toBe('public, max-age=300')
    expect((await get('', { 'if-none-match': etag })).status).toBe(304)
    await put(webpType, webp.lossy)
    expect((await get('', { 'if-none-match': etag })).status).toBe(200)
    expect((await get()).headers.get('etag')).not.toBe(etag)
  })

  test('is recorded by its hash and never by its bytes, and once however often it is sent', async () => {
    await put(pngType, image)
    await put(pngType, image)
    const digest = (await get()).headers.get('etag')?.slice(1, -1)
    expect((await call(world.url, 'DELETE', adminPath(), { token: admin.token })).status).toBe(204)
    expect((await call(world.url, 'DELETE', adminPath(), { token: admin.token })).status).toBe(204)
    const shown = { type: pngType, digest }
    expect((await entries()).map(({ changes }) => changes)).toEqual([
      { logo: { before: null, after: shown } },
      { logo: { before: shown, after: null } },
    ])
    expect(await get()).toMatchObject({ status: 404 })
    expect((await project()).branding.hasLogo).toBe(false)
  })

  test('is gone with its project, and there is none of an unknown project', async () => {
    await put(pngType, image)
    await call(world.url, 'DELETE', `/api/admin/projects/${id}`, { token: admin.token })
    expect((await get()).status).toBe(404)
    expect((await put(pngType, image)).body.code).toBe('PROJECT_NOT_FOUND')
    id = '01932f6e-8f4a-7cc0-9b1d-3a5f8e7d6c4b'
    expect((await get()).status).toBe(404)
  })

  test('the accent color is kept in one spelling, cleared by null, and recorded', async () => {
    const patch = (accentColor: unknown) =>
      call(world.url, 'PATCH', `/api/admin/projects/${id}`, {
        token: admin.token,
        body: { branding: { accentColor } },
      })
    expect((await patch('#0B57b7')).body.branding).toEqual({ accentColor: '#0b57b7', hasLogo: false })
    await patch('#0b57B7')
    expect((await patch(null)).body.branding.accentColor).toBeNull()
    expect((await entries()).map(({ changes }) => changes)).toEqual([
      { accentColor: { before: null, after: '#0b57b7' } },
      { accentColor: { before: '#0b57b7', after: null } },
    ])
    for (const bad of ['red', '#fff', '0b57b7', '#0b57b7ff', '#0b57bg', '#0b57b7;}', '', ' #0b57b7', 1, []]) {
      const { status, body } = await patch(bad)
      expect([status, body.errors?.[0]?.path], JSON.stringify(bad)).toEqual([400, '/branding/accentColor'])
    }
  })
})
