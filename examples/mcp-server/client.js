import { createServer } from 'node:http'
import { createInterface } from 'node:readline/promises'
import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'

// A client for the shell. Signs a member in to an MCP server, and then calls the tool that each line of input names.

const { MCP_URL = 'http://127.0.0.1:8090/mcp', ROLECALL_CLIENT_ID } = process.env

/** Listens for the browser on a port that the operating system chooses (RFC 8252 §7.3). */
async function listen() {
  const state = crypto.randomUUID()
  const server = createServer()
  const code = new Promise((resolve, reject) => {
    server.on('request', ({ url }, response) => {
      const [path, query] = url.split('?')
      const answer = new URLSearchParams(query)
      // Any page in the browser can send a request to this port. Only the answer to this sign-in has its state.
      if (path !== '/callback' || answer.get('state') !== state) {
        response.writeHead(404).end()
        return
      }
      response.end('You can close this page.\n')
      const error = answer.get('error_description') ?? answer.get('error')
      if (error) reject(new Error(error))
      else resolve(answer.get('code'))
    })
  })
  // Prevents an unhandled rejection if the browser returns before the program waits for the code. `await` still throws.
  code.catch(() => {})
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    code,
    state,
    redirectUrl: `http://127.0.0.1:${server.address().port}/callback`,
    close: () => server.close(),
  }
}

/** Stores the sign-in for the SDK. This example stores it in memory, so each start signs in again. */
function createProvider({ redirectUrl, state }) {
  let tokens
  let verifier
  return {
    redirectUrl,
    state: () => state,
    clientMetadata: { redirect_uris: [redirectUrl], token_endpoint_auth_method: 'none' },
    // Returns a project that was registered before, because Rolecall has no dynamic registration.
    clientInformation: () => ({ client_id: ROLECALL_CLIENT_ID }),
    tokens: () => tokens,
    saveTokens: (saved) => {
      tokens = saved
    },
    codeVerifier: () => verifier,
    saveCodeVerifier: (saved) => {
      verifier = saved
    },
    redirectToAuthorization: (url) => console.log(`Open ${url}`),
  }
}

async function connect() {
  const browser = await listen()
  const authProvider = createProvider(browser)
  const open = () => new StreamableHTTPClientTransport(new URL(MCP_URL), { authProvider })
  const client = new Client({ name: 'harbour-shell', version: '1.0.0' })
  const first = open()
  try {
    await client.connect(first)
  } catch (error) {
    if (!(error instanceof UnauthorizedError)) throw error
    await first.finishAuth(await browser.code)
    await client.connect(open())
  } finally {
    browser.close()
  }
  return client
}

const client = await connect()
console.log('Signed in. Type the name of a tool.')
for await (const name of createInterface({ input: process.stdin })) {
  try {
    const { content } = await client.callTool({ name: name.trim() })
    console.log(content.map(({ text }) => text).join('\n'))
  } catch (error) {
    if (!(error instanceof UnauthorizedError)) throw error
    console.log('You are signed out.')
    break
  }
}
await client.close()
process.exit()
