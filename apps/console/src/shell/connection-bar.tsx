import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useConnection } from '../api/connection.ts'
import { useSilence } from '../api/silence.ts'
import { Button } from '../components/button.tsx'

const everySec = 4
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' })

/** Reports that the service does not respond, and retries until it does. */
export function ConnectionBar() {
  const connection = useConnection()
  const client = useQueryClient()
  const isDown = connection.state === 'offline' || connection.state === 'unavailable'
  const [left, setLeft] = useState(everySec)
  useEffect(() => {
    if (!isDown) return
    setLeft(everySec)
    const timer = setInterval(() => setLeft((before) => (before <= 1 ? everySec : before - 1)), 1_000)
    return () => clearInterval(timer)
  }, [isDown])
  useEffect(() => {
    if (isDown && left === everySec) void client.invalidateQueries()
  }, [isDown, left, client])
  if (!isDown)
    return connection.state === 'good' && <PausedBar onRead={() => void client.invalidateQueries()} />
  return (
    <div className="connection" role="status">
      <span>
        {connection.state === 'offline' ? 'Rolecall cannot be reached. ' : `${connection.detail} `}
        <span className="quiet-here">
          Data on this page is from before {clock.format(connection.since)}.{' '}
        </span>
      </span>
      <span aria-hidden="true">Trying again in {left} s.</span>
      <Button size="small" onClick={() => setLeft(everySec)}>
        Try now
      </Button>
    </div>
  )
}

/** Reports that live updates have stopped. The content stays on the screen and can be refetched. */
function PausedBar({ onRead }: { onRead: () => void }) {
  const since = useSilence()
  if (!since) return null
  return (
    <div className="connection" role="status">
      <span>
        Live updates paused.{' '}
        <span className="quiet-here">The last update arrived at {clock.format(since)}. </span>
      </span>
      <Button size="small" onClick={onRead}>
        Reload data
      </Button>
    </div>
  )
}
