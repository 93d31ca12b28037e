import type { Language } from '@rolecall/contract'
import { findLanguage } from './language.ts'

/** The maximum number of tags, and the maximum length of one. Longer lists do not come from a browser. */
const maxTags = 20
const maxTagLength = 35

/**
 * Returns the first supported language in `ui_locales`, which lists tags in order of preference, separated by spaces
 * (OpenID Connect Core §3.1.2.1).
 */
export const languageOfLocales = (locales: string): Language | undefined =>
  firstOf(locales.split(' ').filter((tag) => tag !== ''))

/** Returns the supported language that an `Accept-Language` header prefers (RFC 9110 §12.5.4). */
export function languageOfHeader(header: string): Language | undefined {
  const ranges = header
    .split(',', maxTags)
    .map(readRange)
    .filter(({ quality }) => quality > 0)
    .toSorted((a, b) => b.quality - a.quality)
  return firstOf(ranges.map(({ tag }) => tag))
}

function readRange(range: string): { tag: string; quality: number } {
  const [tag = '', ...parameters] = range.split(';').map((part) => part.trim())
  const written = parameters.find((parameter) => /^q=/i.test(parameter))?.slice(2)
  const quality = written === undefined ? 1 : Number(written)
  return { tag, quality: quality >= 0 && quality <= 1 ? quality : 0 }
}

/**
 * Returns the first supported language. If the list contains Traditional Chinese, a bare `zh` after it does not select
 * Simplified Chinese.
 */
function firstOf(tags: readonly string[]): Language | undefined {
  let isTraditional = false
  for (const tag of tags.slice(0, maxTags)) {
    if (tag === '*') return undefined
    const { language, script } = readTag(tag)
    if (script === 'Hant') isTraditional = true
    const found = language === 'zh' ? (script === 'Hans' ? 'zh-Hans' : undefined) : languageOf(language)
    const isBareChinese = language === 'zh' && !tag.includes('-')
    if (found !== undefined && !(isTraditional && isBareChinese)) return found
  }
  return undefined
}

/** There is one catalog for Portuguese. It serves every region. */
const languageOf = (language: string) => findLanguage(language === 'pt' ? 'pt-BR' : language)

/**
 * Reads the language and the script of a tag. Both are empty if the tag is invalid. `zh-TW` has the script `Hant`; `zh`
 * and `zh-CN` have `Hans`.
 */
function readTag(tag: string): { language: string; script: string } {
  if (tag.length > maxTagLength) return { language: '', script: '' }
  try {
    const { language, script = '' } = new Intl.Locale(tag).maximize()
    return { language, script }
  } catch {
    return { language: '', script: '' }
  }
}
