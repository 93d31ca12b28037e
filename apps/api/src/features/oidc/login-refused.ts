import { errors } from 'oidc-provider'
import type { LoginProblem } from './browser-login.ts'

/** A sign-in that was refused, with the reason, which pages explain in the language of their reader. */
export class LoginRefused extends errors.AccessDenied {
  readonly reason: LoginProblem['reason']

  constructor({ reason, description }: LoginProblem) {
    super(description)
    this.reason = reason
  }
}
