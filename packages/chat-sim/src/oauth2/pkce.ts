import { createHash } from 'node:crypto'
import type { Reply } from '../http/call.ts'
import { oauthError } from './client.ts'
import type { Code } from './grants.ts'

/** Checks a PKCE verifier (RFC 7636). Also rejects a verifier if the authorize request had no challenge. */
export function refuseVerifier(code: Code, verifier: string | null): Reply | undefined {
  if (code.challenge === undefined)
    return verifier ? invalid('Invalid "code_verifier" in request.') : undefined
  if (code.challengeMethod !== 'S256') return invalid('Unsupported "code_challenge_method" in request.')
  if (!verifier) return invalid('Missing "code_verifier" in request.')
  const isWellFormed = /^[A-Za-z0-9\-._~]{43,128}$/.test(verifier)
  const digest = createHash('sha256').update(verifier).digest('base64url')
  return isWellFormed && digest === code.challenge
    ? undefined
    : invalid('Invalid "code_verifier" in request.')
}

const invalid = (description: string) => oauthError('invalid_request', description)
