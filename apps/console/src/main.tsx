import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { queryClient } from './api/queries.ts'
import { redeemCode } from './api/session.ts'
import { createConsole } from './routes.tsx'
import './tokens.css'
import './base.css'
import './components/controls.css'
import './components/surfaces.css'
import './components/table.css'
import './shell/shell.css'

const root = document.getElementById('root')
if (root) {
  // Runs before the router reads the address, because the address may contain the secret code of a login.
  const loginFailure = await redeemCode()
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={createConsole(loginFailure)} />
      </QueryClientProvider>
    </StrictMode>,
  )
}
