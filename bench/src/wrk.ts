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

/** Requests that differ in one header, in their body, or in both. */
export interface Requests {
  readonly method: 'GET' | 'POST'
  /** The same for all. */
  readonly headers?: Readonly<Record<string, string>>
  /** The header that differs. */
  readonly header?: string
  readonly each: readonly { readonly value?: string; readonly body?: string }[]
  /**
   * Which comes next: any with the same chance, some far more often than others (Zipf with exponent 1), or each once,
   * from `first` on. Beyond the last one the request is without credentials, and its refusal ends the run.
   */
  readonly order?: 'uniform' | 'zipf' | 'once'
  readonly first?: number
  /** The mean pause between two requests of a connection; none when not given. */
  readonly everyMs?: number
}

const picks = {
  uniform: 'math.random(#bodies)',
  zipf: 'math.min(#bodies, math.floor((#bodies + 1) ^ math.random()))',
  once: 'n',
}

/** Writes the script that makes wrk send those requests, and returns its path. */
export async function writeRequests(
  path: string,
  { method, headers = {}, header, each, order = 'uniform', first = 0, everyMs }: Requests,
): Promise<string> {
  const lines = each.slice(first).map(({ value = '', body = '' }) => `${value}\t${body}`)
  await writeFile(`${path}.lines`, lines.join('\n'))
  const fixed = Object.entries(headers).map(([name, value]) => `headers["${name}"] = "${value}"`)
  await writeFile(
    path,
    `local values, bodies, headers, n = {}, {}, {}, 0
for line in io.lines("${path}.lines") do
  local at = line:find("\t", 1, true)
  values[#values + 1] = line:sub(1, at - 1)
  bodies[#bodies + 1] = line:sub(at + 1)
end
math.randomseed(os.time())
${fixed.join('\n')}
function request()
  n = n + 1
  local at = ${picks[order]}
  ${header === undefined ? '' : `headers["${header}"] = values[at] or ""`}
  return wrk.format("${method}", nil, headers, ${method === 'GET' ? 'nil' : 'bodies[at] or "{}"'})
end
${everyMs === undefined ? '' : `function delay() return math.random(${2 * everyMs}) end`}
`,
  )
  return path
}

/** Validate of random tokens of the list, at once or at a pace. */
export const validateRequests = (apiKey: string, tokens: readonly string[]): Requests => ({
  method: 'POST',
  headers: { 'Content-Type': 'application/json', 'X-API-Key': apiKey },
  each: tokens.map((token) => ({ body: `{"token":"${token}"}` })),
})

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
