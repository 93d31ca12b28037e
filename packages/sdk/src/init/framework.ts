import type { AppFolder } from './app-folder.ts'

/** A file that `rolecall-init` creates to set up the sign-in. */
export interface HandlerFile {
  readonly path: string
  readonly text: string
  /** Other paths that the framework accepts for this file. */
  readonly insteadOf?: readonly string[]
  /** The message for an app that already has this file: the steps that add the sign-in to it. */
  readonly join?: string
}

/** A framework that `rolecall-init` can set up. */
export interface Framework {
  /** The value of `--framework`. */
  readonly name: string
  /** The name in messages. */
  readonly title: string
  /** The package that identifies the framework. */
  readonly dependency: string
  /** The file to which the variables are written. */
  readonly envFile: '.env' | '.env.local' | '.dev.vars'
  /** Other files of variables that the framework reads. */
  readonly otherEnvFiles: readonly string[]
  /** The default address of an app during development. */
  readonly appUrl: string
  files(app: AppFolder): readonly HandlerFile[]
  /** The remaining steps for the developer, as code to type. */
  steps(app: AppFolder): readonly string[]
}
