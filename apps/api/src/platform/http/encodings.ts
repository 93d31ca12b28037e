/** A public file in one content encoding (RFC 9110 §8.4). */
export interface Encoded {
  readonly encoding: 'br' | 'gzip' | 'identity'
}

/**
 * Chooses the form of a file that an `Accept-Encoding` header prefers, or the first of several equal ones. Chooses the
 * uncompressed form if there is no header, or if it accepts no other. `forms` must end with `identity`.
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

/** Returns the weight of each encoding that the header names (RFC 9110 §12.5.3), by its name in lower case. */
const readWeights = (accepted: string) =>
  new Map(
    accepted.split(',').map((one) => {
      const [name = '', ...parameters] = one.split(';')
      const weight = parameters.find((parameter) => /^\s*q=/i.test(parameter))?.split('=')[1] ?? '1'
      return [name.trim().toLowerCase(), Number.parseFloat(weight)]
    }),
  )
