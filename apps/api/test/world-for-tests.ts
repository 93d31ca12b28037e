import { givenProject } from './given.ts'
import { madeForTests } from './made-for-tests.ts'
import { startWorld } from './service.ts'

/** Starts a world before the tests of this block, and closes it after them. */
export const worldForTests = (...terms: Parameters<typeof startWorld>) =>
  madeForTests(
    () => startWorld(...terms),
    (world) => world.close(),
  )

/** Creates a project before the tests of this block, by default with access to the main server. */
export const projectForTests = (...terms: Parameters<typeof givenProject>) =>
  madeForTests(() => givenProject(...terms))
