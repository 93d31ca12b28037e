import { execFileSync } from 'node:child_process'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { asShipped, usedDemoFolder } from './start-demo.ts'

let folder: Awaited<ReturnType<typeof usedDemoFolder>>

beforeAll(async () => {
  folder = await usedDemoFolder()
}, 240_000)
afterAll(() => folder?.remove())

// The limit is two seconds on an idle machine, on which Node.js alone starts in a twentieth of a second. A busy machine
// has more time, in proportion. The best of a few attempts counts.
test('a second start of the demo listens within two seconds', async () => {
  const tries: { seconds: number; allowed: number }[] = []
  const isGood = () => tries.some(({ seconds, allowed }) => seconds < allowed)
  while (tries.length < 5 && !isGood()) {
    const before = performance.now()
    execFileSync(process.execPath, ['-e', ''])
    const allowed = Math.max(2, (40 * (performance.now() - before)) / 1000)
    const demo = await folder.start({}, asShipped)
    tries.push({ seconds: Number(/listening after ([\d.]+) s/.exec(demo.output())?.[1]), allowed })
    await demo.stop()
  }
  expect(isGood(), JSON.stringify(tries)).toBe(true)
}, 240_000)
