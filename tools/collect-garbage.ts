import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/**
 * Collects garbage repeatedly until a promise settles. So a test fails if the code under test keeps only a weak
 * reference to an object that it needs.
 */
export async function whileCollecting<T>(everyMs: number, waitedFor: Promise<T>): Promise<T> {
  const timer = setInterval(collect, everyMs)
  try {
    return await waitedFor
  } finally {
    clearInterval(timer)
  }
}
