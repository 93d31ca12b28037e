import { promisify } from 'node:util'
import { crc32, inflate } from 'node:zlib'
import type { Size } from './size.ts'

const signature = Buffer.from('89504e470d0a1a0a', 'hex')

/** The samples per pixel and the permitted bit depths of each color type (PNG §11.2.2). */
const colorTypes: Readonly<Record<number, { readonly samples: number; readonly depths: readonly number[] }>> =
  {
    0: { samples: 1, depths: [1, 2, 4, 8, 16] },
    2: { samples: 3, depths: [8, 16] },
    3: { samples: 1, depths: [1, 2, 4, 8] },
    4: { samples: 2, depths: [8, 16] },
    6: { samples: 4, depths: [8, 16] },
  }

/**
 * The seven passes of the Adam7 interlacing: first column, first row, and the steps between columns and between rows
 * (PNG §8.2).
 */
const adam7 = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const

const truncated = 'The PNG image is truncated.'
const damaged = 'The PNG image is damaged.'

/**
 * Checks a PNG image as a decoder would: its chunks, their checksums, and every row of the decompressed pixels. Returns
 * the first problem, or undefined.
 */
export async function pngProblem(
  image: Buffer,
  checkSize: (size: Size) => string | undefined,
): Promise<string | undefined> {
  if (!image.subarray(0, signature.length).equals(signature)) return 'The file is not a PNG image.'
  const chunks = readChunks(image)
  if (typeof chunks === 'string') return chunks
  const header = chunks[0]?.type === 'IHDR' ? readHeader(chunks[0].data) : undefined
  if (!header) return damaged
  return orderProblem(chunks, header) ?? checkSize(header) ?? (await pixelProblem(chunks, header))
}

interface Chunk {
  readonly type: string
  readonly data: Buffer
}

/** Returns all chunks, or the problem of the first invalid one. */
function readChunks(image: Buffer): readonly Chunk[] | string {
  const chunks: Chunk[] = []
  let at = signature.length
  while (at < image.length) {
    if (at + 12 > image.length) return truncated
    const end = at + 8 + image.readUInt32BE(at)
    if (end + 4 > image.length) return truncated
    if (crc32(image.subarray(at + 4, end)) !== image.readUInt32BE(end)) return damaged
    const type = image.toString('latin1', at + 4, at + 8)
    if (!/^[A-Za-z]{4}$/.test(type)) return damaged
    chunks.push({ type, data: image.subarray(at + 8, end) })
    at = end + 4
    if (type === 'IEND') return at === image.length ? chunks : 'The PNG image has data after its end.'
  }
  return truncated
}

interface Header extends Size {
  readonly colorType: number
  readonly bitsPerPixel: number
  readonly isInterlaced: boolean
}

function readHeader(data: Buffer): Header | undefined {
  if (data.length !== 13) return undefined
  const [depth = 0, colorType = 0, compression, filter, interlace = 0] = data.subarray(8)
  const color = colorTypes[colorType]
  if (!color?.depths.includes(depth) || compression !== 0 || filter !== 0 || interlace > 1) return undefined
  return {
    width: data.readUInt32BE(0),
    height: data.readUInt32BE(4),
    colorType,
    bitsPerPixel: color.samples * depth,
    isInterlaced: interlace === 1,
  }
}

const critical = new Set(['IHDR', 'PLTE', 'IDAT', 'IEND'])
/** The chunks of an animated PNG (APNG). */
const animated = new Set(['acTL', 'fcTL', 'fdAT'])

/** Checks which chunks exist, and their order (PNG §5.6). */
function orderProblem(chunks: readonly Chunk[], { colorType }: Header): string | undefined {
  const types = chunks.map(({ type }) => type)
  if (types.some((type) => animated.has(type))) return 'The PNG image is animated.'
  // If the first letter is in upper case, a decoder that does not know the chunk cannot show the image.
  if (types.some((type) => /^[A-Z]/.test(type) && !critical.has(type))) return damaged
  const [firstData, lastData] = [types.indexOf('IDAT'), types.lastIndexOf('IDAT')]
  const isTogether = types.slice(firstData, lastData + 1).every((type) => type === 'IDAT')
  if (firstData < 0 || !isTogether || types.lastIndexOf('IHDR') !== 0) return damaged
  const palettes = chunks.filter(({ type }) => type === 'PLTE')
  const isNeeded = colorType === 3
  const isForbidden = colorType === 0 || colorType === 4
  if (palettes.length > 1 || (isNeeded && palettes.length === 0) || (isForbidden && palettes.length > 0))
    return damaged
  const isBad = palettes.some(({ data: { length } }) => length === 0 || length > 768 || length % 3 !== 0)
  return isBad || types.indexOf('PLTE') > firstData ? damaged : undefined
}

const inflateWhole = promisify<Buffer, { maxOutputLength: number }, Buffer>(inflate)

/**
 * Decompresses the pixels. Checks that no row is missing, and that each begins with one of the five filters (PNG §9.2).
 */
async function pixelProblem(chunks: readonly Chunk[], header: Header): Promise<string | undefined> {
  const rows = rowLengths(header)
  const length = rows.reduce((sum, row) => sum + row, 0)
  const data = Buffer.concat(chunks.flatMap(({ type, data }) => (type === 'IDAT' ? [data] : [])))
  // A few bytes can expand to gigabytes, so decompression stops at the expected length.
  const pixels = await inflateWhole(data, { maxOutputLength: length }).catch(() => undefined)
  if (pixels?.length !== length) return damaged
  let at = 0
  for (const row of rows) {
    if ((pixels[at] ?? 0) > 4) return damaged
    at += row
  }
  return undefined
}

/** Returns the length of each row in bytes, including the byte that names its filter. */
function rowLengths({ width, height, bitsPerPixel, isInterlaced }: Header): number[] {
  const passes = isInterlaced ? adam7 : ([[0, 0, 1, 1]] as const)
  return passes.flatMap(([x, y, stepX, stepY]) => {
    const columns = Math.ceil((width - x) / stepX)
    const rows = Math.ceil((height - y) / stepY)
    if (columns <= 0 || rows <= 0) return []
    return Array<number>(rows).fill(1 + Math.ceil((columns * bitsPerPixel) / 8))
  })
}
