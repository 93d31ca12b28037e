import { expect, test } from 'vitest'
import { problemsOf } from './problems.ts'
import { rulesOf } from './rules.ts'
import { bodyOf } from './use-form.ts'

test('a form complains of what the service would refuse, at the same place', () => {
  expect(problemsOf('createProject', { name: '' })).toEqual([
    { path: '/name', message: 'is required', code: 'MINLENGTH' },
    { path: '/name', message: expect.stringContaining('must be visible text'), code: 'FORMAT' },
  ])
  expect(problemsOf('createProject', {})).toEqual([
    { path: '/name', message: 'is required', code: 'REQUIRED' },
  ])
  expect(problemsOf('createProject', { name: 'Harbour log' })).toEqual([])
})

test('a cleared field is null where that clears it, and left out where it was never needed', () => {
  expect(bodyOf({ name: 'Log', description: '' }, rulesOf('updateProject'))).toEqual({
    name: 'Log',
    description: null,
  })
  expect(bodyOf({ name: '', description: '' }, rulesOf('createProject'))).toEqual({ name: '' })
})
