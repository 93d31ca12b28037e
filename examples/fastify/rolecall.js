import { existsSync } from 'node:fs'
import { createRolecall } from '@rolecall/sdk/fastify'

// Node.js does not read .env by itself. Where there is none, as in production, the environment is set from outside.
if (existsSync('.env')) process.loadEnvFile('.env')

export const rolecall = createRolecall()
