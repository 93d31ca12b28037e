import type { ProblemDetail } from '@rolecall/contract'

const longest = 255
/**
 * The maximum number of combining marks in a row. Real scripts put up to four marks on a letter. Many more would cover
 * the lines above and below.
 */
const maxMarks = 8

const path = '/preferredName'
const controls = /[\p{Cc}\p{Zl}\p{Zp}]/u
/** Matches a bidirectional embedding, override, or isolate. One of them can reverse all text after the name. */
const overrides = /[\u202A-\u202E\u2066-\u2069]/u
const visible = /[^\p{White_Space}\p{Default_Ignorable_Code_Point}\u2800]/u
const stackedMarks = new RegExp(`\\p{M}{${maxMarks + 1}}`, 'u')

/**
 * Checks a preferred name. Returns its Unicode normal form (NFC), which is stored, and all of its problems. The length
 * is counted in code points of this form, so that the same name has the same length however it was typed.
 */
export function readPreferredName(text: string): { name: string; problems: ProblemDetail[] } {
  const name = text.normalize('NFC')
  const problems: ProblemDetail[] = []
  const refuse = (code: string, message: string) => problems.push({ path, message, code })
  if ([...name].length > longest) refuse('TOO_LONG', `must have at most ${longest} characters`)
  if (!visible.test(name)) refuse('BLANK', 'must contain a visible character')
  if (controls.test(name)) refuse('CONTROL', 'must not contain control characters or line breaks')
  if (overrides.test(name)) refuse('BIDI_OVERRIDE', 'must not contain bidirectional overrides')
  if (stackedMarks.test(name)) {
    refuse('STACKED_MARKS', `must have at most ${maxMarks} combining marks in a row`)
  }
  return { name, problems }
}
