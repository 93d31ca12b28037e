import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { TextKey } from '../../../../../apps/api/src/languages/catalog.ts'
import { catalogs as serviceCatalogs } from '../../../../../apps/api/src/languages/language.ts'
import { catalogs, type PageLanguage } from './catalogs.ts'
import { languageOfHeader } from './choose-language.ts'
import { en } from './en.ts'
import type { PageTexts } from './page-texts.ts'

const languages = Object.keys(catalogs) as PageLanguage[]
const keys = Object.keys(en) as (keyof PageTexts)[]

/** The texts that the pages of the service show for the same reasons: key → keys of the service, as sentences. */
const shared: Partial<Record<keyof PageTexts, readonly TextKey[]>> = {
  tryAgain: ['tryAgain'],
  refusedTitle: ['refusedTitle'],
  roleTitle: ['roleTitle'],
  expiredTitle: ['overTitle'],
  failedTitle: ['ourFaultTitle'],
  signedOutTitle: ['signedOutTitle'],
  declined: ['declined'],
  not_a_member: ['notAMember', 'notAMemberAdvice'],
  blocked: ['blockedTitle', 'blocked', 'blockedAdvice'],
  no_access: ['noServer', 'tellOwners'],
  temporarily_unavailable: ['discordDownTitle', 'discordDown'],
  server_error: ['ourFault'],
}

/** Joins sentences as the language does: with a period after each, and with spaces except between Han and kana. */
function join(texts: readonly string[], language: PageLanguage): string {
  const isSpaced = language !== 'ja' && language !== 'zh-Hans'
  const ended = texts.map((text) => (/[.。]$/.test(text) ? text : text + (isSpaced ? '.' : '。')))
  return ended.join(isSpaced ? ' ' : '')
}

describe('the texts of the pages', () => {
  test('exist in the languages of the service', () => {
    expect(languages).toEqual(Object.keys(serviceCatalogs))
  })

  test.each(languages)('in %s are complete, and say the same as the pages of the service', (language) => {
    const texts = catalogs[language]
    expect(Object.keys(texts)).toEqual(keys)
    for (const key of keys) {
      expect(texts[key].trim(), key).toBe(texts[key])
      expect(texts[key], key).not.toBe('')
      if (language !== 'en') expect(texts[key], key).not.toBe(en[key])
      const service = shared[key]?.map((one) => serviceCatalogs[language][one])
      if (service)
        expect(texts[key], key).toBe(shared[key]?.length === 1 ? service[0] : join(service, language))
    }
  })

  test('in French have narrow spaces before their marks', () => {
    for (const key of keys) expect(catalogs.fr[key], key).not.toMatch(/[ a-zà-ÿ][?!;]|[ a-zà-ÿ]:/)
  })

  test('that miss a key, or have another one, do not compile', () => {
    const { blocked: _, ...without } = en
    // @ts-expect-error A text is missing.
    const missing: PageTexts = without
    // @ts-expect-error A text that English does not have.
    const extra: PageTexts = { ...en, invented: 'x' }
    expect([missing, extra]).toHaveLength(2)
  })
})

/** The service and the client for Python pass the same table. */
const headers: readonly { readonly header: string; readonly language: string | null }[] = JSON.parse(
  readFileSync(new URL('../../../../../clients/language-cases.json', import.meta.url), 'utf8'),
)

describe('Accept-Language', () => {
  test.each(headers)('$header: $language', ({ header, language }) => {
    expect(languageOfHeader(header)).toBe(language ?? undefined)
  })

  test.each([
    [`${'x'.repeat(5_000)},de`, 'de'],
    [`${'xx,'.repeat(5_000)}de`, undefined],
  ])('of an unusual length', (header, language) => {
    expect(languageOfHeader(header)).toBe(language)
  })
})
