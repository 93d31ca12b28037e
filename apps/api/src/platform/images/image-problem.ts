import { pngProblem } from './png.ts'
import type { Size } from './size.ts'
import { webpProblem } from './webp.ts'

/**
 * Checks an untrusted image by decoding it. Returns the first problem as a sentence. Returns undefined for a complete,
 * still image with at most `maxSide` pixels in each direction.
 */
export async function imageProblem(
  { type, bytes }: { readonly type: string; readonly bytes: Uint8Array },
  maxSide: number,
): Promise<string | undefined> {
  const image = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const checkSize = (size: Size) => sizeProblem(size, maxSide)
  if (type === 'image/png') return pngProblem(image, checkSize)
  if (type === 'image/webp') return webpProblem(image, checkSize)
  return `Images of the type ${type} are not supported.`
}

function sizeProblem({ width, height }: Size, maxSide: number): string | undefined {
  if (width === 0 || height === 0) return 'The image has no pixels.'
  if (width <= maxSide && height <= maxSide) return undefined
  return `The image has ${width} × ${height} pixels; at most ${maxSide} × ${maxSide} are accepted.`
}
