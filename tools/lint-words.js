import { fileURLToPath } from 'node:url'
import { readSources } from './texts.js'
import { check, isOverBudget } from './words.js'

/** Reports every rule about words that more texts break than its budget allows. */
for (const result of check(readSources(fileURLToPath(new URL('..', import.meta.url)))).filter(isOverBudget)) {
  const { title, budget, total, found } = result
  for (const { path, line, text } of found) console.error(`${path}:${line}: ${text.slice(0, 160)}`)
  console.error(`${title}: broken by ${found.length} of ${total}, more than ${budget * 100} %\n`)
  process.exitCode = 1
}
