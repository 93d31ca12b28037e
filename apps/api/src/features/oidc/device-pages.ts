import { errors, type KoaContextWithOIDC } from 'oidc-provider'
import { headersOfForm, page, pageHeaders } from '#platform/http/page'
import { consentDeclined } from './consent-page.ts'
import { OidcRequest } from './oidc-request.ts'

/** What went wrong with a code, by the names that the library gives it. */
const problems: Readonly<Record<string, string>> = {
  NoCodeError: 'Type the code that your device shows.',
  NotFoundError:
    'That is not a code that a device is waiting with. Look at it again: only letters, no numbers.',
  ExpiredError: 'This code is too old. Let your device show a new one.',
  AlreadyUsedError: 'This code was used already. Let your device show a new one.',
  InvalidClient:
    'The site of this device is not registered here, or is switched off. Tell the people who run the site.',
}

/** Errors whose description is a sentence for a person. */
const toldErrors = ['temporarily_unavailable', 'server_error']

const problemOf = (error: Error): string =>
  error instanceof errors.OIDCProviderError && toldErrors.includes(error.error) && error.error_description
    ? `${error.error_description} If your device no longer waits, start again on it.`
    : (problems[error.constructor.name] ?? 'That did not work. Start again on your device.')

const title = 'Connect a device'

function show(ctx: KoaContextWithOIDC, body: string, headers: Readonly<Record<string, string>>) {
  ctx.set({ ...headers })
  ctx.body = body
}

const secretOf = (ctx: KoaContextWithOIDC) => String(ctx.oidc.session?.state?.['secret'] ?? '')

/** Asks for the code that the device shows. */
export function askForCode(ctx: KoaContextWithOIDC, error: Error | undefined): void {
  if (error?.constructor.name === 'AbortedError') {
    showAborted(ctx, error.cause)
    return
  }
  if (error instanceof errors.SessionNotFound || (error && typeof ctx.oidc.session?.exp !== 'number')) {
    showOver(ctx)
    return
  }
  const { req } = ctx
  const problem = error && problemOf(error)
  const body = page({
    title,
    paragraphs: [problem ?? 'Type the code that your device shows. Only do that for a device of your own.'],
    form: {
      action: '/device',
      hidden: { xsrf: secretOf(ctx) },
      input: {
        name: 'user_code',
        label: 'Code',
        value: (req instanceof OidcRequest ? req.userCode : undefined) ?? '',
      },
      buttons: [{ name: 'go', value: 'on', text: 'Continue' }],
    },
    link: undefined,
    notes: ['Nobody who helps you ever needs you to type a code that they give you.'],
  })
  show(ctx, body, headersOfForm(["'self'"]))
}

/** A form that this browser did not get, or a step that it did not begin; or it keeps no cookies. */
function showOver(ctx: KoaContextWithOIDC): void {
  const body = page({
    title: 'This page is over',
    paragraphs: [
      'It was opened too long ago or in another browser, or this browser keeps no cookies.',
      'Type the code of your device once more.',
    ],
    link: { href: '/device', text: 'Connect a device' },
    notes: [],
  })
  show(ctx, body, pageHeaders)
}

/** What is asked about, and where the login that follows leads: a browser holds a form to its redirects, too. */
interface Confirm {
  readonly site: string
  readonly userCode: string
  readonly platformUrl: string
}

/** Asks whether it is the device that the person has in front of them. */
export function confirmCode(ctx: KoaContextWithOIDC, { site, userCode, platformUrl }: Confirm): void {
  const body = page({
    title: `Connect this device to ${site}?`,
    paragraphs: [
      'Go on only if you started this yourself, on a device that you can see and that shows this code. Whoever holds it is then logged in as you.',
    ],
    code: userCode,
    form: {
      action: '/device',
      hidden: { xsrf: secretOf(ctx), user_code: userCode },
      buttons: [
        { name: 'confirm', value: 'yes', text: 'Continue' },
        { name: 'abort', value: 'yes', text: 'Cancel' },
      ],
    },
    link: undefined,
    notes: [],
  })
  show(ctx, body, headersOfForm(["'self'", new URL(platformUrl).origin]))
}

export const showConnected = (ctx: KoaContextWithOIDC): void =>
  show(
    ctx,
    page({
      title: 'Your device is connected',
      paragraphs: ['You can close this page and go on with your device.'],
      link: undefined,
      notes: [],
    }),
    pageHeaders,
  )

/** Explains why the device gets nothing: the member canceled, or `cause` refused the login. */
const showAborted = (ctx: KoaContextWithOIDC, cause: unknown): void =>
  show(
    ctx,
    page({
      title: 'Your device was not connected',
      paragraphs: [reasonOf(cause), 'You can close this page.'],
      link: undefined,
      notes: [],
    }),
    pageHeaders,
  )

function reasonOf(cause: unknown): string {
  if (!(cause instanceof errors.AccessDenied))
    return 'You canceled. If you did not mean to, start again on your device.'
  const { error_description: description } = cause
  if (description === consentDeclined)
    return 'You did not agree to share your data with the site. If you change your mind, start again on your device.'
  return description ?? 'Your device asked for nothing that it may have. Tell the people who run the site.'
}
