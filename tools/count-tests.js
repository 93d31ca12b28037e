import { readFileSync } from 'node:fs'

// `node tools/count-tests.js report.json`: the closing line of a test run, from vitest's JSON report.

const { passed, failed } = count(process.argv[2] ?? '')
console.log(`${passed} passed, ${failed} failed`)
// A run without a test has shown nothing.
process.exitCode = failed > 0 || passed === 0 ? 1 : 0

/** A file that could not even be loaded has no tests to count: it is one failure, and so is a missing report. */
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
