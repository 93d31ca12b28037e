import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

/** All processes that must end with the run. */
const started = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of started) child.kill('SIGKILL')
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

/** Starts a program on one core, or several, with its output passed through on failure only. */
export function startPinned(
  core: number | string,
  command: string[],
  env: Record<string, string>,
): ChildProcess {
  const child = spawn('taskset', ['-c', String(core), ...command], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  started.add(child)
  child.once('exit', () => started.delete(child))
  return child
}

/** Moves a running process, and its future children, to one core or several. */
export const pin = (core: number | string, pid: number) =>
  execFileSync('taskset', ['-acp', String(core), String(pid)], { stdio: 'ignore' })

/** Returns the processor seconds that processes and their children have used so far. */
export function cpuSeconds(pids: readonly number[]): number {
  const parents = readParents()
  const wanted = new Set(pids)
  for (let grown = true; grown; ) {
    grown = false
    for (const [pid, parent] of parents) {
      if (wanted.has(parent) && !wanted.has(pid)) {
        wanted.add(pid)
        grown = true
      }
    }
  }
  return [...wanted].reduce((sum, pid) => sum + ticksOf(pid), 0) / 100
}

function readParents(): Map<number, number> {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return new Map(pids.map((pid) => [Number(pid), Number(statOf(Number(pid))[1] ?? 0)]))
}

const ticksOf = (pid: number) => {
  const fields = statOf(pid)
  return [11, 12, 13, 14].reduce((sum, at) => sum + Number(fields[at] ?? 0), 0)
}

/** Returns the fields of /proc/PID/stat after the name, which may itself contain spaces. */
function statOf(pid: number): string[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return text.slice(text.lastIndexOf(')') + 2).split(' ')
  } catch {
    return []
  }
}

/** Returns the memory of a process, in MiB. */
export const residentMiB = (pid: number) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024

/** Returns the number of open files, sockets and pipes of a process. */
export const openFiles = (pid: number) => readdirSync(`/proc/${pid}/fd`).length

/** Lists the running child processes of a process. */
export const childrenOf = (pid: number) =>
  [...readParents()].filter(([, parent]) => parent === pid).map(([child]) => child)

/** Waits until an address responds. */
export async function whenAnswering(url: string, deadlineMs = 30_000): Promise<void> {
  const deadline = performance.now() + deadlineMs
  while (performance.now() < deadline) {
    const answered = await fetch(url, { method: 'POST', body: '{"token":"x"}' }).then(
      () => true,
      () => false,
    )
    if (answered) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error(`${url} did not answer within ${deadlineMs} ms.`)
}
