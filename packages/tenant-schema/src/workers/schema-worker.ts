import { parentPort } from 'node:worker_threads'
import { perform, type SchemaJob } from './schema-jobs.ts'

// One job at a time: whoever runs this thread sends the next one after the answer.
parentPort?.on('message', (job: SchemaJob) => parentPort?.postMessage(perform(job)))
parentPort?.postMessage('ready')
