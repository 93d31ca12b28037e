import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { problemOfNode } from '../apps/api/bin/check-node.js'
import { root } from './shown/collect.ts'

const older = encodeURIComponent("Object.defineProperty(process.versions, 'node', { value: '18.20.8' })")

test.each([
  ['apps/api/bin/rolecall.js', 'doctor'],
  ['examples/demo-site/bin/demo.js'],
  ['examples/start.js', 'express'],
])('%s says in one line that Node.js is too old', (...command) => {
  const args = ['--import', `data:text/javascript,${older}`, ...command]
  const { status, stderr, stdout } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' })
  expect([status, stdout, stderr]).toEqual([1, '', `${problemOfNode('18.20.8')}\n`])
})

test('the oldest version is that of package.json', () => {
  const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const oldest = /\d+\.\d+/.exec(engines.node)?.[0]
  expect(problemOfNode(`${oldest}.0`)).toBeUndefined()
  expect(problemOfNode('22.1.0')).toBeUndefined()
  expect(problemOfNode('20.18.9')).toContain(`needs Node.js ${oldest} or later`)
})
