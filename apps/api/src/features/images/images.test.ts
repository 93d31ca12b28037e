import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { demo } from '@rolecall/chat-sim'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { call } from '../../../test/client.ts'
import { givenAdmin, givenProject, givenSession } from '../../../test/given.ts'
import { startWorld, type World } from '../../../test/service.ts'
import { createImageCache } from './image-cache.ts'

const png = Buffer.from('89504e470d0a1a0a0000000d', 'hex')

describe('pictures from Discord', () => {
  let world: World
  let token: string
  /** The response of the image host; each test sets it. */
  let answer: () => { status: number; body: Buffer | string; headers?: Record<string, string> }
  let asked: string[] = []
  const cdn = createServer((request, response) => {
    asked.push(request.url ?? '')
    const { status, body, headers } = answer()
    response.writeHead(status, { 'content-type': 'image/png', ...headers }).end(body)
  })
  beforeAll(async () => {
    await new Promise<void>((resolve) => cdn.listen(0, '127.0.0.1', resolve))
    const { port } = cdn.address() as AddressInfo
    world = await startWorld('pglite', {
      CHAT_CDN_URL: `http://127.0.0.1:${port}/cdn`,
      PERMISSION_TTL_MS: '3600000',
    })
    token = await givenAdmin(world)
  })
  afterEach(() => {
    asked = []
  })
  afterAll(async () => {
    await world.close()
    cdn.close()
  })
  let hashes = 0
  const newPath = () => {
    hashes += 1
    return `/api/admin/images/avatars/${demo.users.ada}/a_${hashes.toString(16).padStart(32, '0')}`
  }
  const get = (path: string, more = {}) => call(world.url, 'GET', path, { token, ...more })

  test('come from the one host that has them, once however many ask, and are kept by browsers', async () => {
    answer = () => ({ status: 200, body: png })
    const path = newPath()
    const replies = await Promise.all([get(path), get(path), get(path)])
    for (const { status, headers } of [...replies, await get(path)]) {
      expect(status).toBe(200)
      expect(headers.get('content-type')).toBe('image/png')
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('cache-control')).toBe('private, max-age=604800, immutable')
    }
    expect(asked).toEqual([`${path.replace('/api/admin/images', '/cdn')}.png?size=128`])
  })

  test.each([
    [
      'SVG, whatever it calls itself',
      { status: 200, body: '<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>' },
    ],
    ['HTML', { status: 200, body: '<html>' }],
    ['more than half a megabyte', { status: 200, body: Buffer.concat([png, Buffer.alloc(600_000)]) }],
    ['nothing', { status: 404, body: '' }],
    ['a refusal', { status: 403, body: png }],
  ])('are none where the host answers %s; it is not asked again for a while', async (_, given) => {
    answer = () => given
    const path = newPath()
    for (let i = 0; i < 2; i++)
      expect((await get(path)).body).toMatchObject({ status: 404, code: 'IMAGE_NOT_FOUND' })
    expect(asked).toHaveLength(1)
  })

  test('cannot be had while the host is down, without a wait for each of a page; then they can', async () => {
    answer = () => ({ status: 302, body: '', headers: { location: 'http://127.0.0.1:1/' } })
    // One failure says nothing about other images: a single address may have a fault of its own.
    for (let i = 0; i < 3; i++)
      expect((await get(newPath())).body).toMatchObject({ status: 503, code: 'CHAT_PLATFORM_UNAVAILABLE' })
    const replies = await Promise.all(Array.from({ length: 30 }, () => get(newPath())))
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([503]))
    expect(asked).toHaveLength(3)
    answer = () => ({ status: 200, body: png })
    await expect.poll(async () => (await get(newPath())).status, { timeout: 20_000, interval: 250 }).toBe(200)
  })

  test('of a registered server are for anyone, but no picture that its record does not name', async () => {
    answer = () => ({ status: 200, body: png })
    const icon = (server: string, hash: string) =>
      call(world.url, 'GET', `/api/servers/${server}/icon/${hash}`)
    const { body } = await get('/api/admin/servers')
    const hash = /\/([0-9a-f]+)\.\w+$/.exec(body.data[0].icon)?.[1] ?? ''
    expect(hash).not.toBe('')
    const reply = await icon(demo.mainGuildId, hash)
    expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'image/png'])
    expect(reply.headers.get('cache-control')).toBe('public, max-age=604800, immutable')
    asked = []
    expect((await icon(demo.mainGuildId, `${hash}0`)).body.code).toBe('IMAGE_NOT_FOUND')
    expect((await icon(demo.gamesGuildId, hash)).body.code).toBe('IMAGE_NOT_FOUND')
    expect(asked).toEqual([])
  })

  test('are for administrators, and named by id and hash alone', async () => {
    answer = () => ({ status: 200, body: png })
    const session = await givenSession(world, await givenProject(world))
    expect((await get(newPath(), { token: session.token })).status).toBe(403)
    expect((await get(newPath(), { token: undefined })).status).toBe(401)
    for (const path of [
      'avatars/1/ff',
      `avatars/${demo.users.ada}/..%2f..%2fx`,
      `emojis/${demo.users.ada}/ff`,
      `avatars/${demo.users.ada}/FF`,
    ])
      expect((await get(`/api/admin/images/${path}`)).status).toBe(400)
    expect(asked).toEqual([])
  })
})

test('the simulated platform has pictures that pass', async () => {
  const world = await startWorld('pglite')
  try {
    const token = await givenAdmin(world)
    const { body } = await call(world.url, 'GET', '/api/admin/members?search=mara', { token })
    const { pathname } = new URL(body.data[0].avatar)
    const path = `/api/admin/images${pathname.replace(/\.\w+$/, '')}`
    expect((await call(world.url, 'GET', path, { token })).headers.get('content-type')).toBe('image/png')
  } finally {
    await world.close()
  }
})

test('names that were made up push out no picture', async () => {
  let timesAsked = 0
  const images = createImageCache({
    image: async ({ hash }) => {
      timesAsked += 1
      return hash === 'a' ? { type: 'image/png', bytes: png } : undefined
    },
  })
  const ask = (hash: string) => images({ kind: 'avatars', ownerId: demo.users.ada, hash })
  await ask('a')
  // Enough images to fill the whole cache.
  for (let n = 0; n < 90_000; n++) await ask(`b${n}`).catch(() => {})
  const before = timesAsked
  await ask('a')
  expect(timesAsked).toBe(before)
})
