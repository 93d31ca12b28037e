import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from './free-port.js'
import { installDebian } from './install-debian.ts'

/** A real Prometheus server with one target, and with the alert rules of this repository. */
export interface Prometheus {
  /** Returns the names of the alerts that are firing. */
  firing(): Promise<string[]>
  /** Returns the number of series that a query has found within the last `seconds`. */
  seriesWithin(query: string, seconds: number): Promise<number>
  /** Returns the number of successful scrapes of the target so far. */
  scrapes(): Promise<number>
  stop(): Promise<void>
}

const isThere = () => spawnSync('prometheus', ['--version']).status === 0

/** Installs Debian's package of Prometheus if it is missing and this user can install it. */
export function ensurePrometheus(): void {
  if (isThere()) return
  installDebian(['prometheus'])
  if (isThere()) return
  throw new Error(
    'The tests of alerts and panels need prometheus on the PATH: apt-get install prometheus, or brew install prometheus.',
  )
}

/** Checks a file of alert rules with `promtool`. Throws its output if the rules are not valid. */
export const checkRules = (path: string) =>
  execFileSync('promtool', ['check', 'rules', path], { encoding: 'utf8' })

/** Speeds rules up for a test: minutes become seconds, and an alert fires after one second. */
export const quickened = (text: string) =>
  text.replace(/\[\d+m\]/g, '[3s]').replace(/^(\s*for:) \d+m$/gm, '$1 1s')

/** Starts a Prometheus server that scrapes `target` and evaluates the rules in a file. */
export async function startPrometheus(target: string, rules: string): Promise<Prometheus> {
  const folder = await mkdtemp(join(tmpdir(), 'rolecall-prometheus-'))
  await writeFile(join(folder, 'rules.yml'), quickened(rules))
  // The interval must be long enough for a scrape, even while a fault blocks the event loop.
  const every = '500ms'
  const config = {
    global: { scrape_interval: every, scrape_timeout: every, evaluation_interval: every },
    rule_files: ['rules.yml'],
    scrape_configs: [{ job_name: 'rolecall', static_configs: [{ targets: [target] }] }],
  }
  // JSON is YAML.
  await writeFile(join(folder, 'prometheus.yml'), JSON.stringify(config))
  const port = await freePort()
  const child = spawn(
    'prometheus',
    [
      `--config.file=${join(folder, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      // Looks back only a few scrapes. In production, it is five minutes with a scrape every minute.
      '--query.lookback-delta=3s',
    ],
    { stdio: 'ignore' },
  )
  const end = () => child.kill('SIGKILL')
  process.once('exit', end)
  const ask = async <T>(path: string): Promise<T> => {
    const reply = await fetch(`http://127.0.0.1:${port}/api/v1/${path}`)
    const { data, error } = (await reply.json()) as { data: T; error?: string }
    if (error) throw new Error(`${path}: ${error}`)
    return data
  }
  const prometheus: Prometheus = {
    firing: async () => {
      const { alerts } = await ask<{ alerts: { state: string; labels: { alertname: string } }[] }>('alerts')
      return [
        ...new Set(alerts.filter(({ state }) => state === 'firing').map(({ labels }) => labels.alertname)),
      ]
    },
    seriesWithin: async (query, seconds) => {
      const now = Date.now() / 1_000
      const asked = new URLSearchParams({
        query,
        start: String(now - seconds),
        end: String(now),
        step: '0.5',
      })
      return (await ask<{ result: unknown[] }>(`query_range?${asked}`)).result.length
    },
    scrapes: async () => {
      const query = 'sum(sum_over_time(up{job="rolecall"}[1h]))'
      const { result } = await ask<{ result: { value: [number, string] }[] }>(
        `query?${new URLSearchParams({ query })}`,
      )
      return Number(result[0]?.value[1] ?? 0)
    },
    stop: async () => {
      process.off('exit', end)
      const ended = once(child, 'exit')
      if (child.exitCode === null) {
        child.kill('SIGKILL')
        await ended
      }
      await rm(folder, { recursive: true, force: true })
    },
  }
  return prometheus
}
