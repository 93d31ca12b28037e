import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { buildOnce } from '../../../../../tools/build-once.js'

test('a scrape of one worker answers what all workers have counted', async () => {
  await buildOnce(() => {})
  const program = fileURLToPath(new URL('../../../test/metrics-cluster.js', import.meta.url))
  const { stdout } = await promisify(execFile)(process.execPath, [program], { timeout: 30_000 })
  const lines = stdout.split('\n')
  expect(lines).toContain('own_total 3')
  expect(lines).toContain('same 7')
  expect(lines).toContain('rolecall_http_requests_total{method="GET",route="/x",status="200"} 2')
  expect(lines).toContain(
    'rolecall_http_request_duration_seconds_count{method="GET",route="/x",class="2xx"} 2',
  )
})
