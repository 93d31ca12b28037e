import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { expect, test } from 'vitest'

const built = new URL('../../dist/platform/log.js', import.meta.url)

// A process that cannot write its log must still answer, and must still be able to end.
test('a full disk costs lines of the log, and nothing else', async () => {
  const full = openSync('/dev/full', 'w')
  const script = `
    const { createLog } = await import('${built}')
    const log = createLog('info')
    for (let i = 0; i < 100; i++) log.info('a line')
    setTimeout(() => { log.info('later'); process.stderr.write('alive') }, 50)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', full, 'pipe'],
    timeout: 20_000,
  })
  closeSync(full)
  let said = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  const [code] = await once(child, 'close')
  expect([code, said]).toEqual([0, 'alive'])
})
