import { parentPort } from 'node:worker_threads'
import { perform, type SchemaJob } from './schema-jobs.ts'

// The thread of a worker. It handles one job at a time, because the pool sends the next job only after the response.
parentPort?.on('message', (job: SchemaJob) => parentPort?.postMessage(perform(job)))
parentPort?.postMessage('ready')
