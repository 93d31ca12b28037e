import type { Incoming } from './incoming.ts'
import { catalogs, type PageLanguage } from './languages/catalogs.ts'
import { languageOfHeader } from './languages/choose-language.ts'
import type { PageTexts } from './languages/page-texts.ts'
import type { Settings } from './settings.ts'

type LanguageSettings = Pick<Settings, 'language' | 'onError'>
type LanguageRequest = Pick<Incoming, 'path' | 'header'>

/** Returns the language that the app's `language` option chooses. Undefined without the option, or if none exists. */
export function chosenLanguage(
  { language, onError }: LanguageSettings,
  request: LanguageRequest,
): PageLanguage | undefined {
  try {
    return languageOfHeader(language?.(request) ?? '')
  } catch (error) {
    onError(error)
    return undefined
  }
}

/** Returns the language of the pages: the choice of the app, or else of the visitor's browser, or else English. */
export const languageOf = (settings: LanguageSettings, request: LanguageRequest): PageLanguage =>
  chosenLanguage(settings, request) ?? languageOfHeader(request.header('accept-language') ?? '') ?? 'en'

/** Returns the texts of the pages for a visitor. */
export const textsFor = (settings: LanguageSettings, request: LanguageRequest): PageTexts =>
  catalogs[languageOf(settings, request)]
