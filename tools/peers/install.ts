import { installOnce } from '../install-once.js'

/** Installs the packages of tests that import packages of others, before Vitest loads the tests. */
export default async () => {
  for (const folder of ['tools/peers', 'tools/site']) await installOnce(folder)
}
