import { readFileSync } from 'node:fs'

// `node tools/count-tests.js report.json`: prints the last line of a test run, from vitest's JSON report.

const { passed, failed } = count(process.argv[2] ?? '')
console.log(`${passed} passed, ${failed} failed`)
// A run without tests proves nothing.
process.exitCode = failed > 0 || passed === 0 ? 1 : 0

/**
 * Counts a file that could not be loaded as one failure, because it has no tests. A missing report counts as one, too.
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
