import { readFileSync } from 'node:fs'
import { languages } from '@rolecall/contract'
import { describe, expect, test } from 'vitest'
import { escapeHtml } from '../platform/http/escape-html.ts'
import { renderPage } from '../platform/http/page.ts'
import { inLanguage } from '../platform/http/reader.ts'
import type { Catalog, TextKey } from './catalog.ts'
import { languageOfHeader, languageOfLocales } from './choose-language.ts'
import { de } from './de.ts'
import { en } from './en.ts'
import { fr } from './fr.ts'
import { catalogs, languageNames } from './language.ts'
import { type Say, sayIn } from './say.ts'

const keys = Object.keys(en) as TextKey[]
const namesIn = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '')

describe('the catalogs', () => {
  test('an edit that forgets or invents something does not compile', () => {
    const { cancel: _, ...without } = de
    // @ts-expect-error A text is missing.
    const missing: Catalog = without
    // @ts-expect-error A text that English does not have.
    const extra: Catalog = { ...de, invented: 'x' }
    // @ts-expect-error The placeholder is lost.
    const lost: Catalog = { ...de, backTo: 'Zurück' }
    // @ts-expect-error One of two placeholders is lost.
    const half: Catalog = { ...de, period: 'Vom {start}' }
    const say = sayIn('de')
    // @ts-expect-error The value is missing.
    const valueless = () => say('backTo')
    // @ts-expect-error The value has another name.
    const misnamed = () => say('backTo', { host: 'x' })
    // @ts-expect-error There is no such text.
    const unknown = () => say('invented')
    expect([missing, extra, lost, half, valueless, misnamed, unknown]).toHaveLength(7)
  })

  test.each(languages)('%s has the keys and placeholders of English, and no text is empty', (language) => {
    const catalog = catalogs[language]
    expect(Object.keys(catalog)).toEqual(keys)
    for (const key of keys) {
      expect(namesIn(catalog[key]).toSorted(), key).toEqual(namesIn(en[key]).toSorted())
      expect(catalog[key].trim(), key).toBe(catalog[key])
      expect(catalog[key], key).not.toBe('')
    }
  })

  test.each(languages.filter((language) => language !== 'en'))('%s is translated', (language) => {
    const same = keys.filter((key) => catalogs[language][key] === en[key])
    // "Code" is one word in several languages.
    expect(same.filter((key) => key !== 'deviceCode')).toEqual([])
  })

  test('a person meets Discord by its name in every language', () => {
    const named = keys.filter((key) => en[key].includes('Discord'))
    expect(named.length).toBeGreaterThan(5)
    for (const language of languages) {
      for (const key of named) expect(catalogs[language][key], `${language} ${key}`).toContain('Discord')
    }
  })

  test('French has narrow spaces before its marks', () => {
    for (const key of keys) expect(fr[key], key).not.toMatch(/[ a-zà-ÿ}][?!;]|[ a-zà-ÿ}]:/)
  })

  // A capital of another language's rules would be wrong in Turkish, so texts are written as they are shown.
  test('each language names itself, by a tag that Intl knows', () => {
    expect(Object.keys(languageNames)).toEqual([...languages])
    expect(Intl.DateTimeFormat.supportedLocalesOf([...languages])).toEqual([...languages])
  })
})

const hostile = '<script>alert("&\'")</script>'

describe.each(languages)('a page in %s', (language) => {
  const reader = inLanguage(language, '/account?a=1&b="')
  const say = reader.say as (key: TextKey, values?: Record<string, string>) => string

  test('shows every text, with hostile values escaped', () => {
    for (const key of keys) {
      const names = namesIn(en[key])
      const text = say(key, Object.fromEntries(names.map((name) => [name, hostile])))
      const { body, headers } = renderPage(reader, {
        title: text,
        paragraphs: [text],
        list: [text],
        form: { action: '/x', hidden: {}, buttons: [{ name: 'x', value: text, text }] },
        sections: [{ heading: text, paragraphs: [], entries: [{ title: text, lines: [text] }] }],
        link: { href: '/', text },
        notes: [text],
        technical: text,
      })
      expect(text.split(hostile).length - 1, key).toBe(names.length)
      expect(body, key).not.toContain('<script')
      expect(body, key).toContain(`<h1>${escapeHtml(text)}</h1>`)
      expect(body).toContain(`<html lang="${language}">`)
      expect(headers['content-language']).toBe(language)
    }
  })

  test('leaves no value to reorder its sentence', () => {
    expect(say('backTo', { site: 'نادي' })).toContain('\u2068نادي\u2069')
    expect(say('backTo', { site: 'a\u202egnp\u2069' })).toContain('agnp')
  })
})

test('a value is put in once, also where it looks like a placeholder', () => {
  const say: Say = sayIn('en')
  expect(say('period', { start: '{end}', end: '$&' })).toBe('From {end} to $&')
})

/** The clients for JavaScript and Python pass the same table. */
const headers: readonly { readonly header: string; readonly language: string | null }[] = JSON.parse(
  readFileSync(new URL('../../../../clients/language-cases.json', import.meta.url), 'utf8'),
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

test.each([
  ['de', 'de'],
  ['xx nl en', 'nl'],
  ['pt-PT', 'pt-BR'],
  ['zh-TW zh', undefined],
  ['constructor __proto__', undefined],
  ['', undefined],
])('ui_locales %j: %s', (locales, language) => {
  expect(languageOfLocales(locales)).toBe(language)
})
