import { formats, patternMessage } from '@rolecall/contract'
import type { ProblemDetail } from '@rolecall/sdk/admin'
import { Set as setFormat } from 'typebox/format'
import { Errors } from 'typebox/value'
import { type FormName, formBodies } from './form-bodies.ts'

// The validator is large, so this file is loaded when a form is first touched (use-problems.ts).

for (const [name, holds] of Object.entries(formats)) setFormat(name, holds)

/** Returns the problems of a request body, with the same pointers and the same words as the service. */
export function problemsOf(name: FormName, body: unknown): readonly ProblemDetail[] {
  return Errors(formBodies[name], body).flatMap(({ keyword, instancePath, params, message }) => {
    if (keyword === 'required' && 'requiredProperties' in params) {
      return params.requiredProperties.map((key) => said(`${instancePath}/${key}`, 'is required', keyword))
    }
    // Leaves out the problem that no branch of a union matches. The problems of the branches are more precise.
    if (keyword === 'anyOf' || keyword === 'boolean') return []
    if (keyword === 'pattern' && 'pattern' in params) {
      return [said(instancePath, patternMessage(String(params.pattern)) ?? message, keyword)]
    }
    if (keyword === 'format' && 'format' in params) {
      return [said(instancePath, formatMessages[params.format] ?? message, keyword)]
    }
    if (keyword === 'minLength') return [said(instancePath, 'is required', keyword)]
    return [said(instancePath, message, keyword)]
  })
}

const said = (path: string, message: string, code: string): ProblemDetail => ({
  path,
  message,
  code: code.toUpperCase(),
})

const formatMessages: Readonly<Record<string, string>> = {
  snowflake: 'must be a Discord ID: 17 to 20 digits',
  uuid: 'must be a UUID',
  'date-time': 'must be a date, or a date and time with a time zone',
  name: 'must be visible text without leading or trailing spaces or invisible characters',
}
