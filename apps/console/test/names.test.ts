import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { listFiles } from '../../../tools/source-graph.ts'
import { findBareNames } from './find-bare-names.ts'

const folder = fileURLToPath(new URL('../src', import.meta.url))
const sources = listFiles(folder, /\.tsx?$/).map((path) => [path, readFileSync(path, 'utf8')] as const)

/** A call that returns a response with names that are not cleaned. */
const findUncleaned = (path: string, text: string) =>
  /\badmin\.ask\b|\bcreateAdmin\b/.test(text) && !path.endsWith('/api/admin.ts') ? [path] : []

test('every shown name is isolated', () => {
  expect(sources.length).toBeGreaterThan(100)
  const bare = sources
    .filter(([path]) => path.endsWith('.tsx'))
    .flatMap(([path, text]) => findBareNames(path, text))
  expect(bare).toEqual([])
})

test.each([
  ['a child', '<p>{project.name}</p>'],
  ['a fallback', '<p>{globalName ?? username}</p>'],
  ['a condition', '<p>{globalName && <span>{username}</span>}</p>'],
  ['a choice', '<p>{isOpen ? serverName : null}</p>'],
  ['a text around it', `<p>{\`of \${projectName}\`}</p>`],
  ['a call', '<p>{nameOf(member)}</p>'],
  ['a cell', '<Table columns={[{ header: "Name", cell: ({ name }) => name }]} />'],
  ['a lead', '<Page lead={server.name} />'],
])('a planted violation is found: %s', (_, code) => {
  expect(findBareNames('planted.tsx', `const planted = ${code}`)).toHaveLength(1)
})

test.each([
  '<p><bdi>{project.name}</bdi></p>',
  '<option value={id}>{name}</option>',
  '<Link title={project.name} to="/" />',
  '<p>{name && <hr />}</p>',
])('a name that is isolated, or is an attribute, is no violation: %s', (code) => {
  expect(findBareNames('planted.tsx', `const planted = ${code}`)).toEqual([])
})

test('every response passes the function that cleans names', () => {
  expect(sources.flatMap(([path, text]) => findUncleaned(path, text))).toEqual([])
  expect(findUncleaned('planted.ts', "await admin.ask('listMembers', {})")).toEqual(['planted.ts'])
})
