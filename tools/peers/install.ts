import { installOnce } from '../install-once.js'

/** Installs the packages that the tests in this folder import, before Vitest loads these tests. */
export default async () => {
  for (const folder of ['tools/peers', 'tools/site']) await installOnce(folder)
}
