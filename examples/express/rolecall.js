import { existsSync } from 'node:fs'
import { createRolecall } from '@rolecall/sdk/express'

// Node.js does not load .env automatically. Without this file, as in production, set its variables in the environment.
if (existsSync('.env')) process.loadEnvFile('.env')

export const rolecall = createRolecall()
