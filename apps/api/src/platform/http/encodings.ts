/** A representation of a public file: the content encoding that it is sent with (RFC 9110 §8.4). */
export interface Encoded {
  readonly encoding: 'br' | 'gzip' | 'identity'
}

/**
 * Chooses the representation that an `Accept-Encoding` header prefers, and the first one of several with equal
 * preference. Without a header, or if the header accepts none of them, chooses the uncompressed one. `forms` must end
 * with `identity`.
 */
export function chooseEncoding<F extends Encoded>(forms: readonly F[], accepted: string | undefined): F {
  const weights = readWeights(accepted ?? '')
  let chosen = forms.at(-1)
  let best = 0
  for (const form of forms) {
    const weight = weights.get(form.encoding) ?? (form.encoding === 'identity' ? 0 : weights.get('*')) ?? 0
    if (weight > best) {
      chosen = form
      best = weight
    }
  }
  if (!chosen) throw new Error('A file needs at least one encoding.')
  return chosen
}

/** Returns the weight of each encoding in the header, by its name in lower case (RFC 9110 §12.5.3). */
const readWeights = (accepted: string) =>
  new Map(
    accepted.split(',').map((one) => {
      const [name = '', ...parameters] = one.split(';')
      const weight = parameters.find((parameter) => /^\s*q=/i.test(parameter))?.split('=')[1] ?? '1'
      return [name.trim().toLowerCase(), Number.parseFloat(weight)]
    }),
  )
