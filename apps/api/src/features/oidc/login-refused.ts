import { errors } from 'oidc-provider'
import type { LoginProblem } from './browser-login.ts'

/**
 * The error of a refused sign-in. The client receives the description, and the pages explain the reason in the language
 * of the person.
 */
export class LoginRefused extends errors.AccessDenied {
  readonly reason: LoginProblem['reason']

  constructor({ reason, description }: LoginProblem) {
    super(description)
    this.reason = reason
  }
}
