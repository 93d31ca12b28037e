import { expect, test } from 'vitest'
import { tabsNamed } from './project-tabs.ts'

const projects = ['Wiki', 'Harbour log', 'Old wiki'].map((name) => ({ id: name, name }))
const pathsFor = (typed: string) => tabsNamed(projects, typed).map(({ project, path }) => project.name + path)

test.each([
  ['wiki keys', ['Wiki/keys', 'Old wiki/keys']],
  ['Harbour log RED', ['Harbour log/redirects']],
  ['log open id', []],
  ['old wiki openid', ['Old wiki/sign-in']],
  ['wiki', []],
  ['keys', []],
  ['', []],
])('%j means the tabs %j', (typed, paths) => {
  expect(pathsFor(typed)).toEqual(paths)
})
