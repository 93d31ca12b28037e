import type { AppFolder } from './app-folder.ts'

/** A file that sets up the sign-in in a framework. */
export interface HandlerFile {
  readonly path: string
  readonly text: string
  /** Other names that the framework accepts for this file. */
  readonly insteadOf?: readonly string[]
  /** The instruction for an app that already has its own such file. */
  readonly join?: string
}

export interface Framework {
  readonly name: string
  readonly title: string
  /** The package that identifies the framework. */
  readonly dependency: string
  readonly envFile: '.env' | '.env.local' | '.dev.vars'
  /** Other files of variables that the framework reads. */
  readonly otherEnvFiles: readonly string[]
  /** The default address of an app during development. */
  readonly appUrl: string
  files(app: AppFolder): readonly HandlerFile[]
  /** The remaining steps for the developer, as code to type. */
  steps(app: AppFolder): readonly string[]
}
