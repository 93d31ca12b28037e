import { createHash } from 'node:crypto'
import { png, tone } from './raster.ts'

/** Pictures that are drawn from a hash: always the same for the same hash, and different for another hash. */

const bytesOf = (seed: string) => createHash('sha256').update(seed).digest()
const hue = (byte = 0) => Math.round((byte / 255) * 360)

const svg = (inner: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="128" height="128" viewBox="0 0 128 128">${inner}</svg>`

/** Draws a head and shoulders in front of a sea as SVG. `plain` uses shades of gray, for people without a picture. */
export function portrait(seed: string, plain = false): string {
  const [a, b, c, d = 0] = bytesOf(seed)
  const saturation = plain ? 18 : 55
  const back = `hsl(${hue(a)} ${saturation}% 62%)`
  const front = `hsl(${hue(b)} ${saturation}% ${plain ? 88 : 30}%)`
  const skin = plain ? front : `hsl(${18 + (c ?? 0) / 12} 45% ${45 + d / 6}%)`
  return svg(
    `<rect width="128" height="128" fill="${back}"/>` +
      `<path d="M0 92q16-10 32 0t32 0 32 0 32 0v36H0z" fill="#fff" opacity=".22"/>` +
      `<ellipse cx="64" cy="122" rx="42" ry="34" fill="${front}"/>` +
      `<circle cx="64" cy="58" r="25" fill="${skin}"/>` +
      (plain ? '' : `<path d="M37 56a27 27 0 0 1 54 0q-27-${8 + (d % 16)}-54 0z" fill="${front}"/>`),
  )
}

/** Draws a sail above waves as SVG, for a server. */
export function emblem(seed: string): string {
  const [a, b] = bytesOf(seed)
  return svg(
    `<rect width="128" height="128" fill="hsl(${hue(a)} 50% 32%)"/>` +
      `<path d="M60 22v62H26z" fill="#fff"/><path d="M66 34v50h32z" fill="hsl(${hue(b)} 70% 70%)"/>` +
      `<path d="M0 98q16-12 32 0t32 0 32 0 32 0v30H0z" fill="hsl(${hue(a)} 45% 55%)"/>`,
  )
}

const isWithin = (x: number, y: number, [cx, cy, rx, ry]: readonly [number, number, number, number]) =>
  ((x - cx) / rx) ** 2 + ((y - cy) / ry) ** 2 <= 1

/** Draws the same person as `portrait`, as PNG. */
export function portraitPng(seed: string): Buffer {
  const [a, b, c = 0] = bytesOf(seed)
  const [back, front, skin] = [tone(hue(a), 0.62), tone(hue(b), 0.3), tone(18 + c / 12, 0.58, 0.45)]
  return png((x, y) => {
    if (isWithin(x, y, [64, 58, 25, 25])) return y < 50 ? front : skin
    return isWithin(x, y, [64, 122, 42, 34]) ? front : back
  })
}

/** Draws the same ship as `emblem`, as PNG. */
export function emblemPng(seed: string): Buffer {
  const [a, b] = bytesOf(seed)
  const [sky, sail, sea] = [tone(hue(a), 0.32, 0.5), tone(hue(b), 0.7, 0.7), tone(hue(a), 0.55, 0.45)]
  return png((x, y) => {
    if (y >= 98) return sea
    if (y < 84 && x <= 60 && x >= 60 - (y - 22) * 0.55) return [255, 255, 255]
    return y < 84 && x >= 66 && x <= 66 + (y - 34) * 0.64 ? sail : sky
  })
}
