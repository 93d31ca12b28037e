import { spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, test } from 'vitest'
import { folderForTests } from '../apps/api/test/process-for-tests.ts'
import { ensurePrometheus } from './prometheus.ts'

const rules = fileURLToPath(new URL('../deploy/prometheus/alerts.yml', import.meta.url))
const names = ['RolecallErrors', 'RolecallErrorBudgetFast', 'RolecallErrorBudgetSlow'] as const
type Name = (typeof names)[number]

const folder = folderForTests('rolecall-alerts-')
beforeAll(async () => {
  ensurePrometheus()
})

/** Returns both counters, read four times a minute: seven quiet hours, an incident, and an hour after it. */
function incident(minutes: number, failing: number) {
  const quiet = 7 * 60 * 4
  const during = minutes * 4
  const asked = 1_500
  const failed = asked * failing
  const [good, bad] = [asked - failed, failed]
  const series = (status: string, before: number, within: number, after: number) => ({
    series: `rolecall_http_requests_total{status="${status}",route="/api/auth/validate"}`,
    values: `0+${before}x${quiet} ${quiet * before}+${within}x${during} ${quiet * before + during * within}+${after}x240`,
  })
  return [series('200', asked, good, asked), series('503', 0, bad, 0)]
}

/** Returns the names of the alerts that fire at each minute of an incident, as promtool computes them. */
async function firingIn(input: object, minutes: readonly number[]): Promise<Map<number, Name[]>> {
  const file = join(folder, 'tests.json')
  const alert_rule_test = minutes.flatMap((minute) =>
    names.map((alertname) => ({ alertname, eval_time: `${7 * 60 + minute}m`, exp_alerts: [] })),
  )
  // JSON is YAML.
  const tests = [{ interval: '15s', input_series: input, alert_rule_test }]
  await writeFile(file, JSON.stringify({ rule_files: [rules], evaluation_interval: '15s', tests }))
  // The output names each alert that fires unexpectedly.
  const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', file], { encoding: 'utf8' })
  const found = [...`${stdout}${stderr}`.matchAll(/alertname: (\w+), time: (\w+),/g)]
  expect(status === 0, stderr).toBe(found.length === 0)
  const timeOf = (minute: number) => `${7 + Math.floor(minute / 60)}h${minute % 60}m`
  return new Map(
    minutes.map((minute) => [
      minute,
      names.filter((name) =>
        found.some(([, alert, time]) => alert === name && time?.startsWith(timeOf(minute))),
      ),
    ]),
  )
}

describe('an incident in which every request fails', () => {
  test.each([1, 3, 8])(
    'of %i minutes makes no alert begin later than a minute after its end',
    async (length) => {
      const after = Array.from({ length: 7 }, (_, minute) => length + 2 + minute)
      const firing = await firingIn(incident(length, 1), [length + 1, ...after])
      const begun = firing.get(length + 1) ?? []
      const late = after.flatMap(
        (minute) => firing.get(minute)?.filter((name) => !begun.includes(name)) ?? [],
      )
      expect(late).toEqual([])
    },
  )

  test('of 20 minutes is paged while it lasts, and no page outlives it by two minutes', async () => {
    const firing = await firingIn(incident(20, 1), [4, 19, 22, 27])
    expect(Object.fromEntries(firing)).toEqual({
      4: ['RolecallErrorBudgetFast'],
      19: [...names],
      22: ['RolecallErrorBudgetSlow'],
      27: [],
    })
  })
})

test('one error in a hundred requests, for hours, makes a ticket and no page', async () => {
  const firing = await firingIn(incident(330, 0.008), [301])
  expect(firing.get(301)).toEqual(['RolecallErrorBudgetSlow'])
})
