import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * The slowest test files, which wait for processes, browsers, or timeouts, the slowest of each kind first. If they
 * started last, they would run alone at the end of a run.
 */
const slowest = [
  'clients/python/python.test.ts',
  'apps/api/test/process/hung-workers.test.ts',
  'apps/api/test/process/workers.test.ts',
  'apps/api/test/process/stop.test.ts',
  'apps/api/src/cli/cli.test.ts',
  'apps/api/test/process/restore.test.ts',
  'apps/api/test/process/start.test.ts',
  'tools/package.test.ts',
  'tools/peers/client-package.test.ts',
  'apps/api/src/features/members/large-lists.test.ts',
  'apps/console/test/states.browser.test.ts',
  'acceptance/browser/demo-start.test.ts',
  'apps/console/test/console.browser.test.ts',
  'apps/api/test/process/bad-days.browser.test.ts',
  'apps/api/src/features/docs/site.browser.test.ts',
  'apps/api/src/features/account/page-languages.browser.test.ts',
  'apps/console/test/tasks.browser.test.ts',
  'acceptance/browser/examples.test.ts',
  'apps/api/test/process/relying-parties.browser.test.ts',
  'acceptance/browser/demo.test.ts',
  'apps/console/test/everyday.browser.test.ts',
  'apps/console/test/people.browser.test.ts',
  'apps/api/test/admin-writes-at-once.test.ts',
  'apps/api/src/deliveries/kinds.test.ts',
  'apps/api/src/features/members/totals.test.ts',
  'apps/api/src/features/login/platform-faults.test.ts',
  'packages/sdk/src/cached-validate.test.ts',
  'apps/api/src/session-memory/lease-model.test.ts',
]
/** The kinds of test files, in the order of a run. Files of a kind share processes only if they follow each other. */
const projects = ['acceptance', 'fast', 'sweeps', 'measured', 'system', 'peers', 'browser', 'alone', 'last']

/** Starts the slowest files of each kind first, so that a run ends with short files. */
export class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return sorted.toSorted((a, b) => kindOf(a) - kindOf(b) || rankOf(a) - rankOf(b))
  }
}

const kindOf = ({ project }: TestSpecification): number => projects.indexOf(project.name)

function rankOf({ moduleId }: TestSpecification): number {
  const known = slowest.indexOf(relative(process.cwd(), moduleId))
  return known >= 0 ? known : slowest.length
}
