import { readdirSync, readFileSync } from 'node:fs'
import { endpoints } from '@rolecall/contract'
import { beforeAll, describe, expect, test } from 'vitest'
import { worldForTests } from '../apps/api/test/world-for-tests.ts'

const read = (path: string) => readFileSync(new URL(`../deploy/${path}`, import.meta.url), 'utf8')
const rules = read('prometheus/alerts.yml')
const dashboard = read('grafana/rolecall.json')

interface Panel {
  readonly title: string
  readonly targets?: readonly { readonly expr: string }[]
}

describe('what deploy/ says of metrics', () => {
  const world = worldForTests('pglite')
  let exported: Set<string>
  beforeAll(async () => {
    const text = await (await fetch(`${world.url}/metrics`)).text()
    exported = new Set(
      [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].flatMap(([, name = '', type]) =>
        type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
      ),
    )
  })

  const named = (text: string) => new Set(text.match(/\b(rolecall|nodejs|process)_[a-z0-9_]+/g))

  test.each([
    ['the alert rules', rules],
    ['the dashboard', dashboard],
  ])('%s name only what the service exports', (_, text) => {
    expect(named(text).size).toBeGreaterThan(10)
    expect([...named(text)].filter((name) => !exported.has(name))).toEqual([])
  })

  test('the dashboard shows every metric of ours', () => {
    const ours = [...exported].filter((name) => name.startsWith('rolecall_'))
    expect(ours.filter((name) => !named(dashboard).has(name))).toEqual([])
  })

  test('each alert has an expression, a time to wait, a severity, a summary and what to do', () => {
    const alerts = rules.split('- alert: ').slice(1)
    expect(alerts.length).toBeGreaterThan(10)
    for (const alert of alerts) {
      for (const part of ['expr:', 'for:', 'severity:', 'summary:', 'runbook:']) expect(alert).toContain(part)
    }
  })

  test('each panel asks something and has room of its own', () => {
    const { panels } = JSON.parse(dashboard) as { panels: (Panel & { type: string; id: number })[] }
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
    for (const { type, title, targets } of panels) {
      if (type !== 'row') expect(targets?.length, title).toBeGreaterThan(0)
    }
  })

  test('the guide says what each alert means', () => {
    const guide = readFileSync(new URL('../docs/guides/monitoring.md', import.meta.url), 'utf8')
    const names = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name = '']) => name)
    expect(names.filter((name) => !guide.includes(name))).toEqual([])
  })

  const pages = readdirSync(new URL('../docs/runbooks/', import.meta.url)).filter(
    (name) => name !== 'README.md',
  )
  const page = (name: string) => readFileSync(new URL(`../docs/runbooks/${name}`, import.meta.url), 'utf8')

  test('every alert links to its runbook, which has checks and fixes, and no runbook is left over', () => {
    const alerts = rules.split('- alert: ').slice(1)
    const names = alerts.map((alert) => alert.split('\n')[0] ?? '')
    expect(pages.sort()).toEqual(names.map((name) => `${name}.md`).sort())
    for (const [i, name] of names.entries()) {
      expect(alerts[i]).toContain(`/docs/runbooks/${name}.md`)
      for (const part of [`# ${name}`, '**Meaning:**', '**Impact:**', '## Check', '## Fix']) {
        expect(page(`${name}.md`)).toContain(part)
      }
    }
  })

  test('runbooks name only metrics and endpoints that there are', () => {
    const paths = endpoints.map(({ method, path }) => `${method} ${path.replace(/\{\w+\}/g, '{}')}`)
    for (const name of pages) {
      const text = page(name)
      // A name that ends in _ is a prefix of several metrics.
      const metrics = [...named(text)].filter((metric) => !metric.endsWith('_'))
      expect(
        metrics.filter((metric) => !exported.has(metric)),
        name,
      ).toEqual([])
      const asked = [...text.matchAll(/`((?:GET|POST|DELETE|PATCH|PUT) \/api\/[^`]*)`/g)].map(
        ([, one = '']) => one,
      )
      expect(
        asked.filter((one) => !paths.includes(one.replace(/\{\w+\}/g, '{}'))),
        name,
      ).toEqual([])
    }
  })
})
