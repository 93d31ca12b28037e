/** Red, green, and blue, each from 0 to 255. */
export type Rgb = readonly [number, number, number]

const linear = (part: number) => {
  const value = part / 255
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
}

/** Returns the luminance of a color, from 0 to 1 (WCAG 2.2). */
const luminanceOf = ([red, green, blue]: Rgb): number =>
  0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)

/** Returns the contrast of two colors, from 1 to 21 (WCAG 2.2). */
export function contrast(one: Rgb, other: Rgb): number {
  const [dark = 0, light = 0] = [luminanceOf(one), luminanceOf(other)].sort((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

const partOf = (color: string, at: number) => Number.parseInt(color.slice(at, at + 2), 16)
const rgbOf = (color: string): Rgb => [partOf(color, 1), partOf(color, 3), partOf(color, 5)]

/** Returns the contrast of two colors `#rrggbb`, from 1 to 21 (WCAG 2.2). */
export const contrastOf = (one: string, other: string): number => contrast(rgbOf(one), rgbOf(other))

/** Returns black or white, whichever is easier to read on the color. Its contrast is at least 4.58. */
export const textColorOn = (color: string): '#000000' | '#ffffff' =>
  contrastOf(color, '#000000') >= contrastOf(color, '#ffffff') ? '#000000' : '#ffffff'
