import { describe, expect, test } from 'vitest'
import { createLiveStreams } from './live-streams.ts'

describe('the streams of live sessions', () => {
  const ended: string[] = []
  const openIn = (streams: ReturnType<typeof createLiveStreams>, key: string, name: string) =>
    streams.open(key, () => ended.push(name))

  test('are so many for a session and in all, and the oldest end', () => {
    ended.length = 0
    const streams = createLiveStreams({ ofSession: 2, inAll: 4 })
    for (const name of ['a1', 'a2', 'a3']) openIn(streams, 'a', name)
    expect(ended).toEqual(['a1'])
    for (const name of ['b1', 'c1', 'd1']) openIn(streams, name.slice(0, 1), name)
    expect(ended).toEqual(['a1', 'a2'])
    openIn(streams, 'd', 'd2')
    expect(ended).toEqual(['a1', 'a2', 'a3'])
  })

  test('that have ended by themselves count no more', () => {
    ended.length = 0
    const streams = createLiveStreams({ ofSession: 2, inAll: 4 })
    for (let i = 0; i < 100; i++) openIn(streams, 'a', `a${i}`)()
    for (const name of ['x', 'y']) openIn(streams, 'a', name)
    expect(ended).toEqual([])
  })
})
