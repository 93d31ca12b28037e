import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** Collects garbage again and again while something is waited for: what only weak references hold is lost then. */
export async function whileCollecting<T>(everyMs: number, waitedFor: Promise<T>): Promise<T> {
  const timer = setInterval(collect, everyMs)
  try {
    return await waitedFor
  } finally {
    clearInterval(timer)
  }
}
