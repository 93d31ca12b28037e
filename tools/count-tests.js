import { readFileSync } from 'node:fs'

// Prints the numbers of tests from Vitest's JSON report, as the last line of a run: `node tools/count-tests.js
// report.json`.

const { passed, failed } = count(process.argv[2] ?? '')
console.log(`${passed} passed, ${failed} failed`)
// Fails if no test has passed, because a run without tests proves nothing.
process.exitCode = failed > 0 || passed === 0 ? 1 : 0

/**
 * Counts the tests. A file that could not be loaded has no tests, and counts as one failure. So does a missing report.
 */
function count(/** @type {string} */ path) {
  try {
    const { numPassedTests, numFailedTests, testResults } = JSON.parse(readFileSync(path, 'utf8'))
    const broken = testResults.filter(
      (/** @type {{ status: string, assertionResults: { status: string }[] }} */ file) =>
        file.status === 'failed' && !file.assertionResults.some(({ status }) => status === 'failed'),
    )
    return { passed: numPassedTests, failed: numFailedTests + broken.length }
  } catch (error) {
    console.error(`No test report: ${error instanceof Error ? error.message : error}`)
    return { passed: 0, failed: 1 }
  }
}
