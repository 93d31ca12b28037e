import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that wait for processes, browsers or time-outs, the longest first: started last, they would be waited for alone. */
const slowest = [
  'acceptance/browser/demo-start.test.ts',
  'apps/api/src/cli/cli.test.ts',
  'apps/api/test/process/stop.test.ts',
  'apps/api/test/process/hung-workers.test.ts',
  'apps/api/test/process/start.test.ts',
  'apps/api/test/process/rolling.test.ts',
  'acceptance/browser/demo.test.ts',
  'apps/api/test/process/workers.test.ts',
]
/** Kinds of files in the order of a run. Processes of `fast` are shared only while one of its files follows the other. */
const projects = ['system', 'browser', 'acceptance', 'fast', 'alone', 'last']

/** What takes longest begins first, so that a run ends with short files. */
export class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return sorted.toSorted((a, b) => rankOf(a) - rankOf(b))
  }
}

function rankOf({ moduleId, project }: TestSpecification): number {
  const known = slowest.indexOf(relative(process.cwd(), moduleId))
  return known >= 0 ? known : slowest.length + projects.indexOf(project.name)
}
