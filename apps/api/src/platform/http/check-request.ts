import type { EndpointDefinition, ProblemDetail, Upload } from '@rolecall/contract'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { ApiError } from './api-error.ts'
import { mediaTypeOf, readBody } from './read-body.ts'
import { readQuery } from './read-query.ts'
import { compile } from './validation.ts'

/**
 * Creates the function that reads and validates the input of an endpoint: parameters, query, and body. It validates all
 * of them before it rejects the request, so that the response lists every problem at once.
 */
export function createRequestCheck(definition: EndpointDefinition) {
  const { params, body, bodyOptional, upload } = definition
  // Unknown query keys are rejected on every endpoint. Otherwise, an endpoint that does not support `dryRun` would
  // ignore it and apply the change.
  const query = definition.query ?? (definition.method === 'GET' ? undefined : noQuery)
  const checkParams = params && compile(params)
  const checkQuery = query && compile(query)
  const checkBody = body && compile(body)

  return (request: FastifyRequest) => {
    let problems: readonly ProblemDetail[] = []
    const input: { params?: unknown; query?: unknown; body?: unknown } = {}
    if (checkParams) {
      input.params = request.params
      problems = checkParams(input.params)
    }
    if (checkQuery) {
      const read = readQuery(searchOf(request.raw.url), query)
      input.query = read.value
      problems = problems.concat(read.problems, checkQuery(input.query))
    }
    if (checkBody) {
      const { 'content-type': type, 'content-encoding': encoding } = request.headers
      // Many clients send the headers of a body with an empty body.
      input.body = bodyOptional && !hasBytes(request) ? {} : readBody(type, encoding, request.body)
      problems = problems.concat(checkBody(input.body))
    }
    if (problems.length > 0) throw invalid(problems)
    if (upload) input.body = readUpload(request, upload)
    return input
  }
}

/**
 * Reads a file of a permitted type.
 *
 * @throws UPLOAD_TYPE_UNSUPPORTED
 */
function readUpload({ headers, body }: FastifyRequest, types: readonly string[]): Upload {
  const type = mediaTypeOf(headers['content-type'])
  const encoding = headers['content-encoding'] ?? 'identity'
  if (type === undefined || !types.includes(type) || encoding !== 'identity') {
    const detail = `The body must be ${types.join(' or ')}, uncompressed.`
    throw new ApiError('UPLOAD_TYPE_UNSUPPORTED', { detail })
  }
  return { type, bytes: Buffer.isBuffer(body) ? body : Buffer.alloc(0) }
}

const noQuery = Type.Object({}, { additionalProperties: false })

/** Returns true if the request has no body and declares none. */
export const isAbsent = ({ headers, body }: FastifyRequest) =>
  headers['content-type'] === undefined && !hasBytes({ body })

const hasBytes = ({ body }: Pick<FastifyRequest, 'body'>) => Buffer.isBuffer(body) && body.length > 0

function searchOf(url = '') {
  const start = url.indexOf('?')
  return start < 0 ? '' : url.slice(start + 1)
}

/** Creates the error for an invalid request. */
export const invalid = (problems: readonly ProblemDetail[]) =>
  new ApiError('VALIDATION_FAILED', { errors: problems })
