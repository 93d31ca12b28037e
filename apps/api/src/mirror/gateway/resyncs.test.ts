import { expect, test } from 'vitest'
import { createLog } from '#platform/log'
import { createResyncs } from './resyncs.ts'

test('a server whose events were missed while it was read is read again before it is complete', async () => {
  const ends: (() => void)[] = []
  const resyncs = createResyncs(
    { log: createLog('silent'), readServer: () => new Promise((resolve) => ends.push(resolve)) },
    { changed: () => {} },
  )
  resyncs.serverAvailable('a server', true)
  resyncs.invalidate(() => true)
  expect(ends).toHaveLength(2)
  ends[0]?.()
  await Promise.resolve()
  expect(resyncs.complete()).toEqual([])
  ends[1]?.()
  await expect.poll(resyncs.complete).toEqual(['a server'])
  await resyncs.close()
})
