import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'

/** The result of a load. */
export interface Load {
  readonly requestsPerSecond: number
  readonly requests: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly failures: number
}

/** The requests of a load. They differ in one header or the path, in their body, or in both. */
export interface Requests {
  readonly method: 'GET' | 'POST'
  /** The headers that all requests have. */
  readonly headers?: Readonly<Record<string, string>>
  /** The name of the header in which the requests differ. */
  readonly header?: string
  /** The start of the path, which the value of each request completes. Without it, all requests have one path. */
  readonly pathStart?: string
  readonly each: readonly { readonly value?: string; readonly body?: string }[]
  /**
   * The order of the requests. `uniform` sends each with the same probability, `zipf` sends some far more often than
   * others (Zipf with exponent 1), and `once` sends each once, from `first` on. After the last one, requests have no
   * credentials, and their refusal ends the run.
   */
  readonly order?: 'uniform' | 'zipf' | 'once'
  readonly first?: number
  /** The mean pause between two requests of a connection, in milliseconds. Without it, there is no pause. */
  readonly everyMs?: number
}

const picks = {
  uniform: 'math.random(#bodies)',
  zipf: 'math.min(#bodies, math.floor((#bodies + 1) ^ math.random()))',
  once: 'n',
}

/** Writes the script with which wrk sends the requests. Returns its path. */
export async function writeRequests(
  path: string,
  { method, headers = {}, header, pathStart, each, order = 'uniform', first = 0, everyMs }: Requests,
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
  return wrk.format("${method}", ${pathStart === undefined ? 'nil' : `"${pathStart}" .. (values[at] or "")`}, headers, ${method === 'GET' ? 'nil' : 'bodies[at] or "{}"'})
end
${everyMs === undefined ? '' : `function delay() return math.random(${2 * everyMs}) end`}
`,
  )
  return path
}

/** Returns the first of the requests, for `fetch`. */
export const firstOf = ({ method, headers, header, each: [first] }: Requests): RequestInit => ({
  method,
  headers: { ...headers, ...(header && { [header]: first?.value ?? '' }) },
  ...(method === 'POST' && { body: first?.body ?? '{}' }),
})

/** Returns requests of validate, each with a random token of the list. */
export const validateRequests = (apiKey: string, tokens: readonly string[]): Requests => ({
  method: 'POST',
  headers: { 'Content-Type': 'application/json', 'X-API-Key': apiKey },
  each: tokens.map((token) => ({ body: `{"token":"${token}"}` })),
})

/** Runs wrk for one round on the core of the load. The address must be one of this machine. */
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
