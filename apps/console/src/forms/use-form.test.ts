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
  // To leave the name out would keep the old one, although the form says that it is saved.
  const cleared = bodyOf({ name: '', description: '' }, rulesOf('updateProject'), true)
  expect(cleared).toEqual({ name: '', description: null })
  expect(problemsOf('updateProject', cleared)).toContainEqual(expect.objectContaining({ path: '/name' }))
})

test('a list is sent without blank lines and spaces, at any depth, and a schema as it is', () => {
  const hosts = [' wiki.example ', '', 'a.example']
  const sent = ['wiki.example', 'a.example']
  expect(bodyOf({ hosts, remoteUser: 'id' }, rulesOf('updateProject', 'forwardAuth'))).toEqual({
    hosts: sent,
    remoteUser: 'id',
  })
  expect(bodyOf({ name: 'Log', forwardAuth: { hosts } }, rulesOf('createProject'))).toEqual({
    name: 'Log',
    forwardAuth: { hosts: sent },
  })
  const schema = { type: 'string', enum: ['', ' a '] }
  expect(bodyOf({ schema }, rulesOf('updateWebhook'))).toHaveProperty('schema', schema)
})
