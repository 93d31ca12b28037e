import { expect, test } from 'vitest'
import { linesOf } from './stream-lines.ts'

test('lines are whole in any pieces, and a heartbeat without a line is noticed', async () => {
  const pieces = ['id: 7\neve', 'nt: sync.changed\nda', 'ta: {}\n\n', ': \n\n', 'id']
  const encoder = new TextEncoder()
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(encoder.encode(piece))
      controller.close()
    },
  })
  let heard = 0
  const lines: string[] = []
  for await (const line of linesOf(body, () => heard++)) lines.push(line)
  expect(lines).toEqual(['id: 7', 'event: sync.changed', 'data: {}', '', ': ', ''])
  expect(heard).toBe(pieces.length)
})
