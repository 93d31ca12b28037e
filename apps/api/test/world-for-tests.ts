import { givenAdmin, givenProject } from './given.ts'
import { madeForTests } from './made-for-tests.ts'
import { startWorld } from './service.ts'

/** Starts a world before the tests of this block, and closes it afterward. */
export const worldForTests = (...terms: Parameters<typeof startWorld>) =>
  madeForTests(
    () => startWorld(...terms),
    (world) => world.close(),
  )

/** Creates a project before the tests of this block, by default with access to the main server. */
export const projectForTests = (...terms: Parameters<typeof givenProject>) =>
  madeForTests(() => givenProject(...terms))

/**
 * Creates an admin session before the tests of this block. It is a caller that `call` accepts: `{ ...admin, body }`.
 */
export const adminForTests = (...terms: Parameters<typeof givenAdmin>) =>
  madeForTests(async () => ({ token: await givenAdmin(...terms) }))
