import { type Language, languages } from '@rolecall/contract'
import type { Catalog } from './catalog.ts'
import { de } from './de.ts'
import { en } from './en.ts'
import { es } from './es.ts'
import { fr } from './fr.ts'
import { it } from './it.ts'
import { ja } from './ja.ts'
import { ko } from './ko.ts'
import { nl } from './nl.ts'
import { pl } from './pl.ts'
import { ptBr } from './pt-br.ts'
import { tr } from './tr.ts'
import { zhHans } from './zh-hans.ts'

/** The name of each language in that language, for the list at the end of a page. */
export const languageNames: Readonly<Record<Language, string>> = {
  en: 'English',
  de: 'Deutsch',
  fr: 'Français',
  es: 'Español',
  'pt-BR': 'Português (Brasil)',
  it: 'Italiano',
  nl: 'Nederlands',
  pl: 'Polski',
  tr: 'Türkçe',
  ja: '日本語',
  ko: '한국어',
  'zh-Hans': '简体中文',
}

/** The texts of each language. */
export const catalogs: Readonly<Record<Language, Catalog>> = {
  en,
  de,
  fr,
  es,
  'pt-BR': ptBr,
  it,
  nl,
  pl,
  tr,
  ja,
  ko,
  'zh-Hans': zhHans,
}

const byLowerCase: ReadonlyMap<string, Language> = new Map(
  languages.map((language) => [language.toLowerCase(), language]),
)

/** Returns the language with exactly this tag, in any case, or undefined. */
export const findLanguage = (tag: string): Language | undefined => byLowerCase.get(tag.toLowerCase())
