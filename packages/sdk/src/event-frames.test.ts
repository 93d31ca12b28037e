import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Frame, readFrames } from './event-frames.ts'

const stream =
  'retry: 1174\nid: 1-0\n\nid: 2-8\nevent: session.revoked\ndata: {"a": "ⓢ😀"}\n\n: 15021\n\n\n: x\n\nid: 3'
const whole = [
  { retry: '1174', id: '1-0' },
  { id: '2-8', event: 'session.revoked', data: '{"a": "ⓢ😀"}' },
  { comment: '15021' },
]

const bodyOf = (chunks: Iterable<Uint8Array>) => {
  const left = chunks[Symbol.iterator]()
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      const { done, value } = left.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
  })
}

async function framesOf(chunks: Iterable<Uint8Array>): Promise<Frame[]> {
  const frames: Frame[] = []
  for await (const frame of readFrames(bodyOf(chunks), () => {})) frames.push(frame)
  return frames
}

describe('a stream of events', () => {
  const bytes = new TextEncoder().encode(stream)

  test('is the same however it is cut into chunks', async () => {
    expect((await framesOf([bytes])).slice(0, 3)).toEqual(whole)
    const all = await framesOf([bytes])
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(bytes.length)), async (cuts) => {
        const places = [0, ...cuts.toSorted((a, b) => a - b), bytes.length]
        const chunks = places.slice(1).map((end, i) => bytes.subarray(places[i], end))
        expect(await framesOf(chunks)).toEqual(all)
      }),
    )
    expect(await framesOf(Array.from(bytes, (byte) => Uint8Array.of(byte)))).toEqual(all)
  })

  test('of a long frame is read in linear time, also byte by byte', async () => {
    function* long(length: number) {
      for (let i = 0; i < length; i++) yield Uint8Array.of(i === 0 ? 58 : 120)
      yield Uint8Array.of(10, 10)
    }
    const timeOf = async (length: number) => {
      const before = process.cpuUsage()
      expect(await framesOf(long(length))).toHaveLength(1)
      return process.cpuUsage(before).user
    }
    await timeOf(20_000)
    const short = await timeOf(20_000)
    // Linear time is eight times as long. Joining all text at every byte would take 64 times as long.
    expect(await timeOf(160_000)).toBeLessThan(24 * short)
  })

  test('ends with an error where a frame does not end, and lets go of the connection', async () => {
    const chunk = new TextEncoder().encode('x'.repeat(64 * 1024))
    let isCancelled = false
    let sent = 0
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += 1
        controller.enqueue(chunk)
      },
      cancel() {
        isCancelled = true
      },
    })
    const read = async () => {
      for await (const frame of readFrames(body, () => {})) expect(frame).toBeUndefined()
    }
    await expect(read()).rejects.toThrow('longer than 1 MiB')
    expect([isCancelled, sent < 30]).toEqual([true, true])
  })
})
