import { RolecallError } from '@rolecall/sdk/admin'
import { useRef, useState } from 'react'
import { note } from '../api/connection.ts'
import { Button } from './button.tsx'
import { createRowCount } from './csv-rows.ts'
import { numberText } from './number.tsx'
import { saveFile } from './save-file.ts'
import { Problem } from './states.tsx'

/** A button that downloads a list as a CSV file. A long list takes a while, so it counts the rows that have arrived. */
export function ExportButton({ address, fileName }: { address: string; fileName: string }) {
  const [rows, setRows] = useState<number>()
  const [error, setError] = useState<RolecallError>()
  const running = useRef<AbortController>(undefined)
  const run = async () => {
    if (running.current) return
    const ending = new AbortController()
    running.current = ending
    setError(undefined)
    setRows(0)
    try {
      saveFile(fileName, await read(address, ending.signal, setRows))
    } catch (failure) {
      if (!ending.signal.aborted) {
        const problem = failure instanceof RolecallError ? failure : connectionLost(failure)
        note(problem)
        setError(problem)
      }
    }
    running.current = undefined
    setRows(undefined)
  }
  return (
    <>
      {rows === undefined ? (
        <Button onClick={run}>Export…</Button>
      ) : (
        // The second click of a double click on “Export…” must not stop the export.
        <Button onClick={({ detail }) => detail < 2 && running.current?.abort()}>
          <span role="status">{numberText(rows)} rows</span> · Stop
        </Button>
      )}
      {error && <Problem error={error} title="The export failed" />}
    </>
  )
}

/** Reads a CSV file and reports the number of rows that have arrived. */
async function read(address: string, signal: AbortSignal, onProgress: (rows: number) => void): Promise<Blob> {
  const response = await fetch(address, { signal, headers: { accept: 'text/csv, application/json' } })
  if (!response.ok || !response.body) throw await refusalOf(response)
  const chunks: Uint8Array<ArrayBuffer>[] = []
  const count = createRowCount()
  for (const reader = response.body.getReader(); ; ) {
    const { done, value } = await reader.read()
    if (done) break
    chunks.push(value)
    onProgress(count(value))
  }
  return new Blob(chunks, { type: 'text/csv' })
}

/** Returns the error of an export whose connection failed. */
const connectionLost = (cause: unknown) =>
  new RolecallError('NETWORK_ERROR', 'The connection to Rolecall was lost. Export again.', { cause })

async function refusalOf(response: Response): Promise<RolecallError> {
  const { status, headers } = response
  const requestId = headers.get('x-request-id') ?? undefined
  if (status === 429) {
    const detail = 'Two exports are already running. Wait until one finishes, then try again.'
    return new RolecallError('RATE_LIMITED', detail, { status, requestId })
  }
  // Another server on the way may have sent a response without these fields.
  const body: Partial<Pick<RolecallError, 'code' | 'detail'>> = await response.json().catch(() => ({}))
  const { code = 'UNEXPECTED_RESPONSE', detail = `The service returned status ${status}.` } = body
  return new RolecallError(code, detail, { status, requestId })
}
