import type { Size } from './size.ts'

const truncated = 'The WebP image is truncated.'
const damaged = 'The WebP image is damaged.'

/**
 * Checks the container and the frame header of a WebP image (RFC 9649). Returns the first problem, or undefined. The
 * pixels are not decoded: there is no small decoder for all platforms, and browsers decode them in a sandbox.
 */
export function webpProblem(
  image: Buffer,
  checkSize: (size: Size) => string | undefined,
): string | undefined {
  if (image.toString('latin1', 0, 4) !== 'RIFF' || image.toString('latin1', 8, 12) !== 'WEBP')
    return 'The file is not a WebP image.'
  const length = image.readUInt32LE(4) + 8
  if (length > image.length) return truncated
  if (length < image.length) return 'The WebP image has data after its end.'
  const chunks = readChunks(image)
  if (typeof chunks === 'string') return chunks
  const size = sizeOf(chunks)
  return typeof size === 'string' ? size : checkSize(size)
}

interface Chunk {
  readonly type: string
  readonly data: Buffer
}

/** Returns all chunks, or the problem of the first invalid one. Every chunk begins at an even offset. */
function readChunks(image: Buffer): readonly Chunk[] | string {
  const chunks: Chunk[] = []
  let at = 12
  while (at < image.length) {
    if (at + 8 > image.length) return truncated
    const type = image.toString('latin1', at, at + 4)
    const start = at + 8
    const end = start + image.readUInt32LE(at + 4)
    at = end + (end % 2)
    if (at > image.length) return truncated
    chunks.push({ type, data: image.subarray(start, end) })
  }
  return chunks
}

/** The chunks that an extended file may have before its frame. Decoders ignore chunks that they do not know. */
const beforeFrame = ['VP8X', 'ICCP', 'ALPH']
const frameTypes = ['VP8 ', 'VP8L']
const animationFlag = 0x02

/** Returns the size of the only frame, or the problem of the file. */
function sizeOf(chunks: readonly Chunk[]): Size | string {
  const types = chunks.map(({ type }) => type)
  const extended = chunks[0]?.type === 'VP8X' ? chunks[0].data : undefined
  const isAnimated = types.includes('ANIM') || types.includes('ANMF')
  if (isAnimated || ((extended?.[0] ?? 0) & animationFlag) !== 0) return 'The WebP image is animated.'
  const frames = chunks.filter(({ type }) => frameTypes.includes(type))
  const [frame] = frames
  if (!frame || frames.length > 1) return damaged
  const size = frame.type === 'VP8L' ? losslessSize(frame.data) : lossySize(frame.data)
  if (!size) return damaged
  // A file without the extended header consists of a single frame.
  if (!extended) return types.length === 1 ? size : damaged
  const isOrdered = types.every((type, at) => !beforeFrame.includes(type) || at < chunks.indexOf(frame))
  const canvas = extended.length === 10 ? canvasSize(extended) : undefined
  return isOrdered && canvas?.width === size.width && canvas.height === size.height ? size : damaged
}

const canvasSize = (data: Buffer): Size => ({
  width: data.readUIntLE(4, 3) + 1,
  height: data.readUIntLE(7, 3) + 1,
})

/** Returns the size from the header of a VP8L bitstream (RFC 9649 §3.4), or undefined if the header is invalid. */
function losslessSize(data: Buffer): Size | undefined {
  // Five bytes are only the header. There must be at least one byte of pixels.
  if (data.length < 6 || data[0] !== 0x2f) return undefined
  const bits = data.readUInt32LE(1)
  const version = bits >>> 29
  return version === 0 ? { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 } : undefined
}

/** Returns the size from the header of a VP8 key frame (RFC 6386 §9.1), or undefined if the header is invalid. */
function lossySize(data: Buffer): Size | undefined {
  if (data.length < 11) return undefined
  const tag = data.readUIntLE(0, 3)
  const isKeyFrame = (tag & 1) === 0
  const version = (tag >>> 1) & 7
  const isShown = ((tag >>> 4) & 1) === 1
  const firstPartition = tag >>> 5
  const isWhole = firstPartition > 0 && 10 + firstPartition < data.length
  if (!isKeyFrame || version > 3 || !isShown || !isWhole) return undefined
  if (data.readUIntBE(3, 3) !== 0x9d012a) return undefined
  return { width: data.readUInt16LE(6) & 0x3fff, height: data.readUInt16LE(8) & 0x3fff }
}
