import { afterAll, beforeAll } from 'vitest'

/**
 * Returns an object with the fields of the one that `make` creates before the tests of this block. Only tests and later
 * hooks can use it. `end` runs after the tests.
 */
export function madeForTests<T extends object>(make: () => Promise<T>, end?: (made: T) => unknown): T {
  let made: T | undefined
  beforeAll(async () => {
    made = await make()
  })
  afterAll(() => made && end?.(made))
  const fields = () => {
    if (!made) throw new Error('This object exists only after the setup of its block.')
    return made
  }
  return new Proxy({} as T, {
    get: (_, name) => Reflect.get(fields(), name),
    ownKeys: () => Reflect.ownKeys(fields()),
    getOwnPropertyDescriptor: (_, name) => Reflect.getOwnPropertyDescriptor(fields(), name),
  })
}
