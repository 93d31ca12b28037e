import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'

export interface Load {
  readonly requestsPerSecond: number
  readonly requests: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly failures: number
}

/** Writes the script that makes wrk present random tokens of the list, at once or at a pace. */
export async function writeScript(
  path: string,
  apiKey: string,
  tokens: readonly string[],
  { everyMs }: { everyMs?: number } = {},
) {
  await writeFile(`${path}.tokens`, tokens.join('\n'))
  await writeFile(
    path,
    `local bodies = {}
for line in io.lines("${path}.tokens") do bodies[#bodies + 1] = '{"token":"' .. line .. '"}' end
math.randomseed(os.time())
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
wrk.headers["X-API-Key"] = "${apiKey}"
function request() return wrk.format(nil, nil, nil, bodies[math.random(#bodies)]) end
${everyMs === undefined ? '' : `function delay() return math.random(${2 * everyMs}) end`}
`,
  )
}

/** One round of wrk on one core, against loopback only. */
export async function load(
  core: number,
  url: string,
  script: string,
  connections: number,
  seconds: number,
): Promise<Load> {
  const { stdout } = await promisify(execFile)('taskset', [
    '-c',
    String(core),
    'wrk',
    '-t1',
    `-c${connections}`,
    `-d${seconds}s`,
    '--latency',
    '-s',
    script,
    url,
  ])
  const number = (pattern: RegExp) => Number(pattern.exec(stdout)?.[1] ?? 0)
  const time = (percent: string) => {
    const [, value = '0', unit = 'ms'] = new RegExp(`${percent}%\\s+([\\d.]+)(us|ms|s)`).exec(stdout) ?? []
    return Number(value) * ({ us: 0.001, ms: 1, s: 1000 }[unit] ?? 1)
  }
  return {
    requestsPerSecond: number(/Requests\/sec:\s+([\d.]+)/),
    requests: number(/(\d+) requests in/),
    p50Ms: time('50'),
    p99Ms: time('99'),
    failures: number(/Non-2xx or 3xx responses: (\d+)/) + number(/timeout (\d+)/),
  }
}
