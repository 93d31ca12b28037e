import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { generatedFiles } from './generated/files.ts'
import { asSynchronous } from './generated/synchronous-python.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

test('every generated source equals the output of its generator, and is ignored by Git', () => {
  const files = generatedFiles(root)
  for (const [path, text] of Object.entries(files)) expect(readFileSync(join(root, path), 'utf8')).toBe(text)
  const ignored = execFileSync('git', ['check-ignore', ...Object.keys(files)], {
    cwd: root,
    encoding: 'utf8',
  })
  expect(ignored.trim().split('\n')).toEqual(Object.keys(files))
})

test.each([
  ['async def ask(self) -> AsyncIterator[Event]:', 'def ask(self) -> Iterator[Event]:'],
  ['async with self._http.stream(', 'with self._http.stream('],
  ['async for chunk in response.aiter_bytes():', 'for chunk in response.iter_bytes():'],
  ['await response.aread()', 'response.read()'],
  ['from .async_stream import AsyncStream', 'from .stream import Stream'],
  ['async def __aenter__(self) -> AsyncRolecall:', 'def __enter__(self) -> Rolecall:'],
  ['from asyncio import sleep', 'from time import sleep'],
])('the asynchronous Python "%s" becomes "%s"', (line, synchronous) => {
  expect(asSynchronous(line, 'm.py').split('\n').at(-1)).toBe(synchronous)
})

test.each([
  'task = asyncio.ensure_future(call())',
  'lambda: anext(stream, await_this)',
  'async  def late():',
])('a line without a synchronous form fails with an error that contains it: %s', (line) => {
  expect(() => asSynchronous(`x = 1\n${line}\n`, 'm.py')).toThrow(`m.py has no synchronous form: no rule`)
  expect(() => asSynchronous(`x = 1\n${line}\n`, 'm.py')).toThrow(line)
})
