#!/usr/bin/env node
import { openAppFolder } from './app-folder.ts'
import { CannotInit } from './cannot-init.ts'
import { checkKey } from './check-key.ts'
import { help, readCommandLine } from './command-line.ts'
import { findFramework } from './frameworks.ts'
import { makePlan } from './plan.ts'
import { diffOf, reportOf } from './report.ts'
import { checkValues } from './variables.ts'
import { writeChanges } from './write-plan.ts'

async function init(): Promise<void> {
  const { isHelp, isDryRun, readsKey, framework, values } = readCommandLine(
    process.argv.slice(2),
    process.env,
  )
  if (isHelp) {
    process.stdout.write(help)
    return
  }
  const key = readsKey ? await readKey() : undefined
  const given = { ...values, ...(key && { ROLECALL_API_KEY: key }) }
  checkValues(given)
  const app = openAppFolder(process.cwd())
  const plan = makePlan(app, findFramework(app, framework), given)
  if (isDryRun && plan.changes.length > 0) console.log(`${diffOf(plan.changes)}\n`)
  if (!isDryRun) writeChanges(app.folder, plan.changes)
  console.log(reportOf(plan, isDryRun, isDryRun ? undefined : await checkKey(plan.values)))
}

async function readKey(): Promise<string> {
  if (process.stdin.isTTY) console.error('The key of the project, then Enter and Ctrl-D:')
  let text = ''
  for await (const chunk of process.stdin.setEncoding('utf8')) text += chunk
  const key = text.trim()
  if (key === '') throw new CannotInit('--key - found no key on standard input.')
  return key
}

init().catch((error: unknown) => {
  console.error(
    error instanceof CannotInit ? error.message : `rolecall-init cannot continue: ${String(error)}`,
  )
  process.exitCode = 1
})
