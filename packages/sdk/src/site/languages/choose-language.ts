import { catalogs, type PageLanguage } from './catalogs.ts'

/** The maximum number of languages to read. Browsers do not send more. */
const maxTags = 20
const maxTagLength = 35

/** The languages by their first subtag. So `pt-PT` selects `pt-BR`, the only Portuguese that exists. */
const byPrimarySubtag: ReadonlyMap<string, PageLanguage> = new Map(
  (Object.keys(catalogs) as PageLanguage[]).map((language) => [language.split('-')[0] ?? '', language]),
)

/**
 * Returns the language of the pages that an `Accept-Language` header prefers (RFC 9110 §12.5.4). Undefined if none of
 * its languages exists. The service chooses the language of its own pages by the same rules.
 */
export function languageOfHeader(header: string): PageLanguage | undefined {
  const ranges = header
    .split(',', maxTags)
    .map(readRange)
    .filter(({ quality }) => quality > 0)
    .sort((one, two) => two.quality - one.quality)
  let isTraditional = false
  for (const { tag } of ranges) {
    if (tag === '*') return undefined
    const [language = '', ...subtags] = tag.toLowerCase().split('-')
    const isHant = language === 'zh' && isTraditionalChinese(subtags)
    if (isHant) isTraditional = true
    // Traditional Chinese does not exist. Browsers add a bare `zh` after `zh-TW`, which is no wish for Simplified
    // Chinese.
    const isAddition = isTraditional && language === 'zh' && subtags.length === 0
    const found = isHant || isAddition ? undefined : byPrimarySubtag.get(language)
    if (found !== undefined) return found
  }
  return undefined
}

function readRange(range: string): { tag: string; quality: number } {
  const [tag = '', ...parameters] = range.split(';').map((part) => part.trim())
  const written = parameters.find((parameter) => /^q=/i.test(parameter))?.slice(2)
  const quality = written === undefined ? 1 : Number(written)
  const isTag = tag === '*' || (tag.length <= maxTagLength && /^[a-z]{2,8}(-[a-z0-9]{1,8})*$/i.test(tag))
  return { tag, quality: isTag && quality >= 0 && quality <= 1 ? quality : 0 }
}

/** Returns true for a script or a region of Traditional Chinese. A script takes precedence over a region. */
const isTraditionalChinese = (subtags: readonly string[]) =>
  !subtags.includes('hans') && subtags.some((subtag) => /^(hant|tw|hk|mo)$/.test(subtag))
