import { parentPort } from 'node:worker_threads'
import { perform, type SchemaJob } from './schema-jobs.ts'

// Takes one job at a time: the pool sends the next one after the response.
parentPort?.on('message', (job: SchemaJob) => parentPort?.postMessage(perform(job)))
parentPort?.postMessage('ready')
