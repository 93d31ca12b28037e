import type { AppFolder } from './app-folder.ts'

/** A file that makes the login in a framework. */
export interface HandlerFile {
  readonly path: string
  readonly text: string
  /** Other names under which the framework takes the same file. */
  readonly insteadOf?: readonly string[]
  /** What to do where the app has such a file of its own. */
  readonly join?: string
}

export interface Framework {
  readonly name: string
  readonly title: string
  /** The package that gives it away. */
  readonly dependency: string
  readonly envFile: '.env' | '.env.local' | '.dev.vars'
  /** Files that it reads besides. */
  readonly otherEnvFiles: readonly string[]
  /** Where an app is during development, unless it says otherwise. */
  readonly appUrl: string
  files(app: AppFolder): readonly HandlerFile[]
  /** What is left to a person, as they would type it. */
  steps(app: AppFolder): readonly string[]
}
