import type { Incoming } from './incoming.ts'
import type { PageLanguage } from './languages/catalogs.ts'

/** The kind of page that a visitor sees, by code. An app can replace each kind. */
export const pageKinds = {
  LOGIN_REFUSED: 'refused',
  ROLE_REQUIRED: 'refused',
  LOGIN_NOT_FOUND: 'expired',
  LOGIN_UNREADABLE: 'expired',
  LOGIN_EXPIRED: 'expired',
  LOGIN_CODE_USED: 'expired',
  LOGIN_FAILED: 'failed',
  SESSION_CHECK_UNAVAILABLE: 'failed',
  SIGNED_OUT: 'signedOut',
} as const

/** The code that says why a page is shown. */
export type PageCode = keyof typeof pageKinds

/** A page that an app can replace. */
type PageKind = (typeof pageKinds)[PageCode]

/** The content of a page for a visitor. Everything in it may be shown to the visitor. */
export interface PageDetails {
  readonly kind: PageKind
  /** Stable code, for `switch` statements. */
  readonly code: PageCode
  /**
   * The service's reason for a failed sign-in: `not_a_member`, `blocked`, `declined`, `no_access`,
   * `temporarily_unavailable`, or `server_error`. A newer service may send others. Undefined if the service sent none.
   */
  readonly reason: string | undefined
  /** The HTTP status of the page. */
  readonly status: number
  /** The language of the visitor. */
  readonly language: PageLanguage
  /** The title, as plain text in that language. */
  readonly title: string
  /**
   * The reason and the next step, as plain text in that language. It may contain a name from Discord, so escape it in
   * HTML. Empty after a sign-out.
   */
  readonly description: string
  /** The address at which the visitor can try again. Undefined if another attempt would not help. */
  readonly retryUrl: string | undefined
}

/**
 * HTML, or a response of the app. A redirect is sent as it is. Any other response keeps its headers, but gets the
 * status of the page.
 */
type PageResult = string | Response

/** Creates a page that replaces one of this library. */
type MakePage = (details: PageDetails) => PageResult | Promise<PageResult>

/** The pages of an app that replace those of this library. */
export interface Pages {
  /** The sign-in was refused, or the member lacks a role that the page requires: 403. */
  readonly refused?: MakePage
  /** The sign-in cannot be completed in this browser, or took too long: 400. */
  readonly expired?: MakePage
  /** The service cannot be reached, or cannot sign the visitor in: 503. */
  readonly failed?: MakePage
  /** The visitor signed out: 200. With this page, a sign-out leads to it and not to the start page. */
  readonly signedOut?: MakePage
}

/** Called when a person is refused. May return the page to show. */
export type OnRefused = (details: PageDetails) => PageResult | undefined | Promise<PageResult | undefined>

/** Chooses the language for a request, as a BCP 47 tag. */
export type ChooseLanguage = (request: Pick<Incoming, 'path' | 'header'>) => string | undefined
