import type { ProblemDetail, webhooks } from '@rolecall/contract'
import { ApiError } from '#platform/http/api-error'
import { boundProblems } from '#platform/http/bound-problems'
import { parseBody } from '#platform/http/read-body'
import type { Deps } from '../../deps.ts'
import { findWebhook } from './webhook-store.ts'

/**
 * Returns the result that a submission of a text would have, by the same code and without writing anything. The text is
 * checked against the stored schema, or against a draft of it.
 * @throws WEBHOOK_NOT_FOUND, RATE_LIMITED
 */
export async function tryPayload(
  { db, schemas }: Pick<Deps, 'db' | 'schemas'>,
  { projectId, webhookId }: { readonly projectId: string; readonly webhookId: string },
  { payload, schema: draft }: webhooks.TryPayload,
): Promise<{ valid: boolean; errors: ProblemDetail[]; more?: number }> {
  const stored = await findWebhook(db, projectId, webhookId)
  if (!stored) throw new ApiError('WEBHOOK_NOT_FOUND')
  // Uses a lane beside that of the project's submissions, so that trials do not delay them.
  const lane = `try:${projectId}`
  const inDraft = draft ? await schemas.check(lane, draft) : []
  if (inDraft.length > 0)
    return {
      valid: false,
      ...boundProblems(inDraft.map((problem) => ({ ...problem, path: `/schema${problem.path}` }))),
    }
  const parsed = parse(payload)
  if ('error' in parsed) return { valid: false, errors: [parsed.error] }
  const schema = await schemas.open(lane, draft ?? stored.schema)
  const errors = await schema.validate(parsed.value, payload)
  return { valid: errors.length === 0, ...boundProblems(errors) }
}

function parse(text: string): { readonly value: unknown } | { readonly error: ProblemDetail } {
  try {
    return { value: parseBody(text) }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return { error: { path: '', message: error.message, code: error.code } }
  }
}
