import { requireBearerAuth } from '@modelcontextprotocol/sdk/server/auth/middleware/bearerAuth.js'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import express from 'express'
import { createVerifier } from './introspect.js'

// An MCP server for members: `who_am_i` for each of them, `ring_bell` for members with one role.

const { ROLECALL_URL, ROLECALL_CLIENT_ID, ROLECALL_API_KEY, BELL_ROLE_ID } = process.env
const port = process.env.PORT || '8090'
/** The URI of this server, which must be in `oidc.resources` of the project. */
const resource = `http://127.0.0.1:${port}/mcp`
const metadataPath = '/.well-known/oauth-protected-resource/mcp'

/** Creates the tools. They read the member from the token of their call. */
function createServer() {
  const server = new McpServer({ name: 'harbour', version: '1.0.0' })
  server.registerTool('who_am_i', { description: 'Says who is signed in.' }, ({ authInfo }) =>
    say(`You are ${authInfo.extra.username}.`),
  )
  server.registerTool('ring_bell', { description: 'Rings the bell. Needs a role.' }, ({ authInfo }) =>
    authInfo.extra.roleIds.includes(BELL_ROLE_ID)
      ? say('Ding!')
      : { ...say('You do not have the role that may ring the bell.'), isError: true },
  )
  return server
}

const say = (text) => ({ content: [{ type: 'text', text }] })

const app = express()
// Tells clients which service issues tokens for this server (RFC 9728).
app.get(metadataPath, (_request, response) => {
  response.json({
    ...{ resource, authorization_servers: [ROLECALL_URL], scopes_supported: ['openid', 'roles'] },
    bearer_methods_supported: ['header'],
  })
})
app.post(
  '/mcp',
  requireBearerAuth({
    verifier: createVerifier({
      ...{ rolecallUrl: ROLECALL_URL, projectId: ROLECALL_CLIENT_ID, apiKey: ROLECALL_API_KEY },
      resource,
    }),
    resourceMetadataUrl: `http://127.0.0.1:${port}${metadataPath}`,
    requiredScopes: ['openid', 'roles'],
  }),
  express.json(),
  async (request, response) => {
    const server = createServer()
    const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined })
    response.on('close', () => void server.close())
    await server.connect(transport)
    await transport.handleRequest(request, response, request.body)
  },
)
// Refuses other methods. Each call is a separate request, so there is no stream to open, and no session to end.
app.all('/mcp', (_request, response) => {
  response.status(405).set('allow', 'POST').end()
})
app.listen(Number(port), '127.0.0.1', () => console.log(`The MCP server is at ${resource}`))
