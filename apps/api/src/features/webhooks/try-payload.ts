import type { ProblemDetail, webhooks } from '@rolecall/contract'
import { ApiError } from '#platform/http/api-error'
import { boundProblems } from '#platform/http/bound-problems'
import { parseBody } from '#platform/http/read-body'
import type { Deps } from '../../deps.ts'
import { findWebhook } from './webhook-store.ts'

/**
 * Validates a text as a submission would be validated, without storing it. Uses the stored schema, or a draft of a
 * schema from the request. Problems of the draft itself have a path under `/schema`.
 *
 * @throws WEBHOOK_NOT_FOUND, RATE_LIMITED
 */
export async function tryPayload(
  { db, schemas }: Pick<Deps, 'db' | 'schemas'>,
  { projectId, webhookId }: { readonly projectId: string; readonly webhookId: string },
  { payload, schema: draft }: webhooks.TryPayload,
): Promise<{ valid: boolean; errors: ProblemDetail[]; more?: number }> {
  const stored = await findWebhook(db, projectId, webhookId)
  if (!stored) throw new ApiError('WEBHOOK_NOT_FOUND')
  // Trials have a queue of their own, so that they do not delay the project's submissions.
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

/** Parses a payload. Returns an error instead of throwing it. */
function parse(text: string): { readonly value: unknown } | { readonly error: ProblemDetail } {
  try {
    return { value: parseBody(text) }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return { error: { path: '', message: error.message, code: error.code } }
  }
}
