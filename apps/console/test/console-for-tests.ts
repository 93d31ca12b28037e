import { givenAdministration } from '../../api/test/administration.ts'
import { madeForTests } from '../../api/test/made-for-tests.ts'
import { type ConsoleWorld, startConsole } from './visit.ts'

/** Starts the service with the console before the tests of this file, and ends it after them. */
export const consoleForTests = () => madeForTests(startConsole, (started) => started.close())

/** Creates a System Admin before the tests of this file, who changes what the console shows. */
export const administrationForTests = (at: ConsoleWorld) => madeForTests(() => givenAdministration(at.world))
