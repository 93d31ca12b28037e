import type { Reader } from '#platform/http/reader'

// The order matters: most browsers also name other browsers in their user agent, and the first match wins.
const browsers: readonly (readonly [RegExp, string])[] = [
  [/\bEdg(e|A|iOS)?\//, 'Edge'],
  [/\b(OPR|Opera)\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/\b(Chrome|CriOS|Chromium|HeadlessChrome)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
]

const systems: readonly (readonly [RegExp, string])[] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b|\bMacintosh\b/, 'Mac'],
  [/\bCrOS\b/, 'Chromebook'],
  [/\bLinux\b/, 'Linux'],
]

const nameIn = (names: typeof browsers, userAgent: string) =>
  names.find(([pattern]) => pattern.test(userAgent))?.[1]

/** Returns a browser and its system under the names that people know, for example "Firefox on Windows". */
export function browserName({ say }: Reader, userAgent: string | null): string {
  const browser = nameIn(browsers, userAgent ?? '') ?? say('unknownBrowser')
  const system = nameIn(systems, userAgent ?? '')
  return system === undefined ? browser : say('browserOn', { browser, system })
}
