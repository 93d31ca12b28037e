import type { IncomingMessage } from 'node:http'
import { account, chooseLanguage as languageChoice } from '@rolecall/contract'
import { findMainServer } from '#mirror/read-servers'
import { Answer, redirect } from '#platform/http/answer'
import { ApiError } from '#platform/http/api-error'
import { isNavigation, isSameOrigin } from '#platform/http/credentials'
import { inLanguage, type Reader, readerOf } from '#platform/http/reader'
import type { Client, Router } from '#platform/http/router'
import { addressBucket } from '#platform/rate-limit/address-bucket'
import type { Callers } from '../../callers/callers.ts'
import type { Deps } from '../../deps.ts'
import { brandOf } from '../../pages/brand-of.ts'
import type { AccountNeeds } from './account-needs.ts'
import { accountPage, loggedOutPage, logoutPage } from './account-page.ts'
import { endEverything, endSession, withdrawConsent } from './change-account.ts'
import { chooseLanguage } from './choose-language.ts'
import { createOwnDataLimit } from './limit-own-data.ts'
import { listServerNames } from './store.ts'
import { type Person, whoAsks } from './who-asks.ts'

/** Registers the account page, on which people manage their own sessions, consents, and data. */
export function accountRoutes({ route }: Router<Callers>, allDeps: Deps, needs: AccountNeeds) {
  const deps = { ...allDeps, ...needs }
  const { db, config, login } = deps
  const limitOwnData = createOwnDataLimit()

  /**
   * Returns the person who opens a page, or undefined. Rejects a request that another site's page sends in the
   * background or for an embedded frame: it would start a sign-in.
   */
  const opened = (raw: IncomingMessage) => {
    if (!isNavigation(raw)) throw new ApiError('NAVIGATION_REQUIRED')
    return whoAsks(deps, raw.headers.cookie)
  }
  /**
   * Returns the person who submits a form, or undefined. Rejects a form of another site: some browsers send the cookie
   * with it, so the cookie alone does not prove that the person wants the change.
   */
  const changing = (raw: IncomingMessage) => {
    if (!isSameOrigin(raw, config.publicUrl)) throw new ApiError('CROSS_SITE_REQUEST')
    return whoAsks(deps, raw.headers.cookie)
  }
  /** Adds the branding of the main server to a page, because these pages belong to the community, and to no project. */
  const branded = async (reader: Reader): Promise<Reader> => {
    const main = await findMainServer(db)
    return { ...reader, brand: await brandOf(db, { serverId: main?.id }) }
  }
  const by = ({ memberId, account: { username } }: Person, client: Client) => ({
    actor: { id: memberId, username },
    client,
  })

  route(account.accountPage, async ({ raw, query, client }) => {
    const person = await opened(raw)
    if (!person) {
      const begun = await login.beginForAccount(raw.headers.cookie, addressBucket(client.ip))
      return redirect(begun.location, [begun.cookie])
    }
    const sessions = await deps.listSessions(person.memberId)
    const serverIds = sessions.flatMap(({ serverId }) => serverId ?? [])
    const names = await listServerNames(db, [...new Set(serverIds)])
    return accountPage(await branded(readerOf(raw)), {
      ...person,
      sessions,
      consents: await deps.listConsents(person.memberId),
      serverNames: new Map(names.map(({ id, name }) => [id, name])),
      done: query.done,
    })
  })
  route(account.accountData, async ({ raw, client }) => {
    // A link on another site must not start a download. It leads to the account page instead.
    const isOwn = ['same-origin', 'none', undefined].includes(raw.headers['sec-fetch-site']?.toString())
    const person = await opened(raw)
    if (!person || !isOwn) return redirect('/account')
    return limitOwnData(person.memberId, () => deps.readOwnData(by(person, client)))
  })

  route(account.accountLogoutPage, async ({ raw }) => {
    const person = await opened(raw)
    const reader = await branded(readerOf(raw))
    return person ? logoutPage(reader, person.account) : loggedOutPage(reader, false, [])
  })

  route(languageChoice, ({ raw, query }) => {
    if (!isNavigation(raw)) throw new ApiError('NAVIGATION_REQUIRED')
    return chooseLanguage(config, query.language, query.return_to)
  })

  /**
   * Makes a change for the person who submitted a form. If the browser is no longer signed in, redirects to the account
   * page, which starts a sign-in.
   */
  const changed = async (
    { raw }: { readonly raw: IncomingMessage },
    change: (person: Person) => Promise<Answer>,
  ) => {
    const person = await changing(raw)
    return person ? change(person) : seeOther('/account')
  }
  route(account.endAccountSession, (request) =>
    changed(request, async (person) => {
      const { sessionId } = request.params
      await endSession(deps, person, by(person, request.client), sessionId)
      if (sessionId !== person.here) return seeOther('/account?done=session')
      const reader = await branded(readerAfter(request.raw))
      return loggedOutPage(reader, false, await login.end(request.raw.headers.cookie))
    }),
  )
  route(account.endAccountSessions, (request) =>
    changed(request, async (person) => {
      await endEverything(deps, person, by(person, request.client))
      const reader = await branded(readerAfter(request.raw))
      return loggedOutPage(reader, true, await login.end(request.raw.headers.cookie))
    }),
  )
  route(account.accountLogout, (request) =>
    changed(request, async () => {
      const reader = await branded(readerAfter(request.raw))
      return loggedOutPage(reader, false, await login.end(request.raw.headers.cookie))
    }),
  )
  route(account.withdrawConsent, (request) =>
    changed(request, async (person) => {
      const { params, query } = request
      const consent = { projectId: params.projectId, clientId: query.clientId ?? null }
      await withdrawConsent(deps, person, by(person, request.client), consent)
      return seeOther('/account?done=consent')
    }),
  )
}

/**
 * Returns the reader of a page that responds to a form. Its language switch cannot load the address of the form again,
 * so it uses the path of the page for signing out.
 */
const readerAfter = (raw: IncomingMessage) => inLanguage(readerOf(raw).language, '/account/log-out')

/** Redirects after a form, so that a reload of the page does not submit the form again. */
const seeOther = (location: string) => new Answer(303, undefined, { location })
