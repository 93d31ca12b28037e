import { RolecallError } from '@rolecall/sdk/admin'
import { expect, test } from 'vitest'
import { runSteps } from './run-steps.ts'

const refused = () => new RolecallError('NOT_FOUND', 'Not there.', { status: 404 })

const stepOf = (key: string, run: () => Promise<unknown>) => ({ key, name: key, run })

test('steps run one after another, a failure is named, and the next step runs', async () => {
  const log: string[] = []
  const step = (key: string) =>
    stepOf(key, async () => {
      log.push(`${key} starts`)
      await Promise.resolve()
      log.push(`${key} ends`)
      if (key === 'b') throw refused()
    })
  const progress: number[] = []
  const { failures, rest } = await runSteps(['a', 'b', 'c'].map(step), {
    onProgress: (tried) => progress.push(tried),
    isStopped: () => false,
  })
  expect(log).toEqual(['a starts', 'a ends', 'b starts', 'b ends', 'c starts', 'c ends'])
  expect(failures.map(({ step, error }) => [step.key, error.code])).toEqual([['b', 'NOT_FOUND']])
  expect([progress, rest]).toEqual([[1, 2, 3], []])
})

test('a stop starts no further step, and names those that did not start', async () => {
  let isStopped = false
  const stop = async () => {
    isStopped = true
  }
  const { failures, rest } = await runSteps([stepOf('a', stop), stepOf('b', stop)], {
    onProgress: () => {},
    isStopped: () => isStopped,
  })
  expect([failures, rest.map(({ key }) => key)]).toEqual([[], ['b']])
})

test('a defect of the console is not reported as a refusal', async () => {
  const defect = stepOf('a', async () => {
    throw new TypeError('defect')
  })
  await expect(runSteps([defect], { onProgress: () => {}, isStopped: () => false })).rejects.toThrow('defect')
})
