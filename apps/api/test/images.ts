import { crc32, deflateSync } from 'node:zlib'

/** Valid images and their parts, for tests that damage them. */

type Chunk = readonly [type: string, data: Uint8Array]

const pngSignature = Buffer.from('89504e470d0a1a0a', 'hex')

/** Creates a PNG from chunks, each with its checksum. */
export const pngOf = (...chunks: readonly Chunk[]) =>
  Buffer.concat([
    pngSignature,
    ...chunks.flatMap(([type, data]) => {
      const typed = Buffer.concat([Buffer.from(type, 'latin1'), data])
      return [uint32(data.length), typed, uint32(crc32(typed))]
    }),
  ])

const uint32 = (value: number) => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

interface Header {
  readonly width?: number
  readonly height?: number
  readonly depth?: number
  readonly colorType?: number
  readonly interlace?: number
}

export const ihdr = ({
  width = 2,
  height = 2,
  depth = 8,
  colorType = 6,
  interlace = 0,
}: Header = {}): Chunk => [
  'IHDR',
  Buffer.concat([uint32(width), uint32(height), Buffer.from([depth, colorType, 0, 0, interlace])]),
]
export const idat = (rows: Uint8Array): Chunk => ['IDAT', deflateSync(rows)]
export const iend: Chunk = ['IEND', Buffer.alloc(0)]

/** Creates an image in one color, with alpha. */
export function png(width = 2, height = 2, color = [11, 87, 183, 255]): Buffer<ArrayBuffer> {
  const row = Buffer.from([0, ...Array.from({ length: width }, () => color).flat()])
  return pngOf(ihdr({ width, height }), idat(Buffer.concat(Array<Buffer>(height).fill(row))), iend)
}

const base64 = (text: string) => Buffer.from(text, 'base64')

/** WebP images of one pixel, in each form of the format. */
export const webp = {
  lossy: base64('UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA'),
  lossless: base64('UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA=='),
  alpha: base64(
    'UklGRkoAAABXRUJQVlA4WAoAAAAQAAAAAAAAAAAAQUxQSAwAAAARBxAR/Q9ERP8DAABWUDggGAAAABQBAJ0BKgEAAQAAAP4AAA3AAP7mtQAAAA==',
  ),
  animated: base64(
    'UklGRlIAAABXRUJQVlA4WAoAAAASAAAAAAAAAAAAQU5JTQYAAAD/////AABBTk1GJgAAAAAAAAAAAAAAAAAAAGQAAABWUDhMDQAAAC8AAAAQBxAREYiI/gcA',
  ),
}
