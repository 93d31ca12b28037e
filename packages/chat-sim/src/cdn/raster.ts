import { deflateSync } from 'node:zlib'

type Rgb = readonly [number, number, number]

const size = 128

/** Returns a PNG of 128 × 128 pixels. The function returns the color of each pixel. */
export function png(colorAt: (x: number, y: number) => Rgb): Buffer {
  const row = 1 + size * 3
  const raw = Buffer.alloc(row * size)
  for (let y = 0; y < size; y++) for (let x = 0; x < size; x++) raw.set(colorAt(x, y), y * row + 1 + x * 3)
  const head = Buffer.alloc(13)
  head.writeUInt32BE(size, 0)
  head.writeUInt32BE(size, 4)
  // 8 bits per channel, and color type 2: red, green, and blue.
  head.set([8, 2, 0, 0, 0], 8)
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  return Buffer.concat([signature, chunk('IHDR', head), chunk('IDAT', deflateSync(raw)), chunk('IEND')])
}

function chunk(type: string, data = Buffer.alloc(0)): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const whole = Buffer.alloc(body.length + 8)
  whole.writeUInt32BE(data.length, 0)
  body.copy(whole, 4)
  whole.writeUInt32BE(crc32(body), body.length + 4)
  return whole
}

/** Computes the CRC-32 of a PNG chunk. Node.js has such a function only since version 20.15. */
function crc32(bytes: Buffer): number {
  let crc = 0xffffffff
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0)
  }
  return (crc ^ 0xffffffff) >>> 0
}

/** Returns a color by its hue in degrees, and its lightness and saturation from 0 to 1. */
export function tone(hue: number, lightness: number, saturation = 0.55): Rgb {
  const range = saturation * Math.min(lightness, 1 - lightness)
  const channel = (offset: number) => {
    const place = (offset + hue / 30) % 12
    return Math.round(255 * (lightness - range * Math.max(-1, Math.min(place - 3, 9 - place, 1))))
  }
  return [channel(0), channel(8), channel(4)]
}
